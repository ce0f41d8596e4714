"""错误：发生了什么、为什么（`error.x`），以及接下来怎么办（`error.x.hint`）。"""

STRINGS = {
    "error.cancelled": "已停止。",

    # 同一类错误没有专门提示时，接下来怎么办。
    "error.hint.usage": "用法见：python clinkai.py --help",
    "error.hint.machine": "腾出空间、给予权限，或换一个位置，然后重试。",
    "error.hint.workspace": "用 --workspace 目录 另选一个文件夹。",
    "error.hint.session": "python clinkai.py sessions 会列出可以继续的会话。",
    "error.hint.server": "python clinkai.py doctor 会逐项检查服务器。",
    "error.hint.unreachable": "请启动模型服务器，或把 CLINKAI_BASE_URL 设为它的地址。"
                              "可用 python clinkai.py doctor 检查。",
    "error.hint.timeout": "请查看服务器自身的输出。如果它只是需要更多时间处理长提示词，"
                          "请调大 CLINKAI_IDLE_TIMEOUT。",
    "error.hint.auth": "请把 CLINKAI_API_KEY 设为服务器要求的密钥。",
    "error.hint.loading": "请等模型加载完成后再试。",
    "error.hint.context": "请新开会话、分段读取，或以更大的上下文启动服务器（llama-server 用 -c）。",
    "error.hint.bad_response": "请检查 CLINKAI_BASE_URL：它必须指向模型服务器的接口，通常以 /v1 结尾。",

    "error.session.record": "会话中有一条 {type} 记录不合规则：{why}",
    "error.session.type": "当前版本不认识类型为 {type} 的会话记录。",

    # 连接模型服务器。
    "error.address": "这不是模型服务器的地址：{value}",
    "error.address.hint": "请把 CLINKAI_BASE_URL 设为 http://主机:端口/v1 或 https://主机/v1。",
    "error.key": "API 密钥无法发送：其中含有 HTTP 头不允许的字符。",
    "error.key.hint": "请重新设置 CLINKAI_API_KEY，不要带换行或拉丁字母以外的字符。",
    "error.ca_file": "{path} 中的证书无法使用：{why}",
    "error.ca_file.hint": "请把 CLINKAI_CA_FILE 设为 PEM 文件，或不设置它。",
    "error.unreachable.refused": "{address} 没有响应：连接被拒绝。",
    "error.unreachable.slow": "{address} 在 {seconds} 秒内没有接受连接。",
    "error.unreachable.name": "找不到主机 {host} 的地址：{why}",
    "error.unreachable.tls": "无法与 {address} 建立安全连接：{why}",
    "error.unreachable.tls.hint": "如果服务器使用自签证书，请把 CLINKAI_CA_FILE 设为该证书；"
                                  "如果它只支持普通 http，请让 CLINKAI_BASE_URL 以 http:// 开头。",
    "error.unreachable.other": "无法连接 {address}：{why}",
    "error.timeout": "模型服务器已有 {seconds} 秒没有发来任何数据。",

    # 模型服务器的回答。
    "error.auth": "模型服务器不接受该密钥：{message}",
    "error.rate": "模型服务器暂时不再接受请求：{message}",
    "error.rate.hint": "请稍等片刻再试。",
    "error.loading": "模型服务器仍在加载模型：{message}",
    "error.refused": "模型服务器拒绝了请求：{message}",
    "error.refused.missing": "模型服务器找不到所请求的内容：{message}",
    "error.refused.missing.hint": "请检查 CLINKAI_BASE_URL（通常以 /v1 结尾）、CLINKAI_PROVIDER 和 "
                                  "CLINKAI_MODEL。",
    "error.refused.model": "模型服务器上没有这个模型：{message}",
    "error.refused.model.hint": "python clinkai.py probe --models 会列出可用的模型：请用 --model 或 "
                                "CLINKAI_MODEL 选择一个，或在服务器上加载所需的模型（Ollama：ollama pull "
                                "模型名）。",
    "error.refused.tools": "这个模型不会使用工具，而 ClinkAI 只能通过工具工作：{message}",
    "error.refused.tools.hint": "请选择模板支持工具的模型：ollama show 模型名 会列出它的能力。",
    "error.refused.tools_off": "模型服务器启动时没有启用工具调用：{message}",
    "error.refused.tools_off.hint": "llama-server：请用 --jinja 启动。vLLM：请加上 "
                                    "--enable-auto-tool-choice 和 --tool-call-parser 名称（Qwen 2.5 "
                                    "和 3 用 hermes，Qwen3-Coder 用 qwen3_coder）。",
    "error.refused.large": "模型服务器或它前面的代理不接受这么大的请求：{message}",
    "error.refused.large.hint": "请调高服务器或代理的大小上限，或分段读取。",
    "error.refused.template": "模型的对话模板不接受当前对话：{message}",
    "error.refused.template.hint": "请换用其他对话模板启动服务器，或换一个模型。",
    "error.overflow": "对话超出了模型服务器的上下文：{message}",
    "error.overflow.counted": "对话有 {prompt} 个 token，而模型服务器的上下文只有 {limit}。",
    "error.stream.ended": "模型服务器的回答还没有完成就结束了。",
    "error.stream.damaged": "模型服务器的回答已损坏：其中有一部分不是 JSON。",
    "error.stream.closed": "回答还没有完成，连接就断开了：{why}",
    "error.stream.reported": "模型服务器报告了错误：{message}",
    "error.bad_response.redirect": "模型服务器要求转到 {target}（HTTP {status}）。"
                                   "为了不把密钥交给别处，没有跟随。",
    "error.bad_response.redirect.hint": "如果该地址正确，请把 CLINKAI_BASE_URL 设为它。",
    "error.bad_response.status": "模型服务器出错，但没有说明原因：{message}",
    "error.bad_response.status.hint": "请在服务器或它前面的代理的输出中查找原因。",
    "error.bad_response.html": "回答的是网页，而不是模型服务器：{message}",
    "error.bad_response.http": "{address} 上的程序不使用 HTTP：{why}",
    "error.bad_response.json": "模型服务器的回答不是 JSON：{start}",
    "error.bad_response.shape": "模型服务器的回答格式与预期不符：{start}",
    "error.bad_response.encoding": "模型服务器的回答无法解压：{why}",
    "error.bad_response.large": "模型服务器发来的内容超过 {limit} 仍未结束。",
    "error.bad_response.nothing": "模型什么也没有回答：没有文字，没有思考，也没有工具调用。",
    "error.bad_response.nothing.hint": "请重试。如果经常发生，说明模型或其对话模板与服务器不匹配。",

    "error.cwd": "无法使用路径 {path}：当前文件夹已不存在。",
    "error.cwd.hint": "请切换到存在的文件夹，或给出完整路径。",
    "error.busy": "此会话中有一轮正在进行；请等待它结束或先停止它。",
    "error.context.budget": "对话约有 {tokens} 个 token；CLINKAI_CTX_BUDGET 只允许 {budget} 个。",
    "error.context.budget.hint": (
        "请新开会话或分段读取。如果服务器的窗口更大，可以调高 CLINKAI_CTX_BUDGET。"
    ),
    "error.context.full": (
        "对话约有 {tokens} 个 token，只能放下 {budget} 个：服务器的窗口是 {window}，"
        "其中 {room} 个留给回答（CLINKAI_MAX_TOKENS）。"
    ),
    "error.context.full.hint": (
        "请新开会话、分段读取、调低 CLINKAI_MAX_TOKENS，或以更大的上下文启动服务器"
        "（llama-server 用 -c）。"
    ),
    "error.defect": "这是 ClinkAI 的缺陷：{why}。详情在 {path} 中；会话已保留。",
    "error.policy.empty": "{where} 中的空规则会允许一切，因此被拒绝。",
    "error.policy.list": "在 {path} 中，{name} 必须是文本列表，例如 [\"git push\"]。",
    "error.policy.name": "{path} 只认识 allow 和 deny 两个列表，不认识 {name}。",
    "error.policy.rule": "{where} 中的规则 {rule!r} 无法拆分成单词：{why}",
    "error.policy.toml": "{path} 不是有效的 TOML：{why}",
    "error.policy.toml.hint": '每行的形式是：allow = ["git push"]',
    "error.policy.unreadable": "无法读取 {path}：{why}",
    "error.policy.unreadable.hint": "请修正其权限，或换成一个同名的文件。",
    "error.prompt.empty": "没有任务：提示为空。",
    "error.session.closed": "会话 {path} 已关闭。",
    "error.session.create": "无法在 {path} 开始会话：{why}",
    "error.session.create.hint": "请腾出空间，或用 CLINKAI_SESSIONS 或 CLINKAI_HOME 选择另一个文件夹。",
    "error.session.gone": "会话文件 {path} 在使用中被删除了。",
    "error.session.gone.hint": "之前的内容已随文件丢失；请开始一个新会话。",
    "error.session.init": "{path} 不以 init 记录开头，不是可以继续的会话。",
    "error.session.later": "会话 {path} 由更新的版本写成：当前版本不认识其中的 {type} 记录。",
    "error.session.later.hint": (
        "要继续这个会话，请更新 ClinkAI；python clinkai.py sessions show 可以打印出读得懂的部分。"
        "也可以用 sessions fork ID --at N 从此前的记录另开一个会话。"
    ),
    "error.session.line": "{path} 的第 {line} 行已损坏（{why}）；其余行仍可读取。",
    "error.session.line.hint": "python clinkai.py sessions show 可显示能读取的内容。删除损坏的行后即可继续此会话。",
    "error.session.locked": "另一个进程正在使用会话 {path}。",
    "error.session.locked.hint": "请等它结束，或去掉 --resume 开始新会话；期间可用 python clinkai.py sessions show 查看。",
    "error.session.many": "{wanted} 是多个会话 id 的开头：{ids}",
    "error.session.name": "{wanted} 既不是 auto，也不是会话 id 或路径。",
    "error.session.none": "没有 id 以 {wanted} 开头的会话。",
    "error.session.none_here": "{workspace} 还没有会话。",
    "error.session.none_here.hint": "去掉 --resume 即可开始；python clinkai.py sessions 列出其他文件夹的会话。",
    "error.session.open": "无法打开会话 {path}：{why}",
    "error.session.write": "无法写入会话 {path}：{why}",
    "error.session.write.hint": "请在该磁盘上腾出空间，然后用 --resume auto 继续：此前的内容都已保留。",
    "error.system_prompt.inside": "CLINKAI_SYSTEM_PROMPT 指定的 {path} 不在工作区之外。",
    "error.system_prompt.inside.hint": "请把该文件移出工作区：工作区中的任何内容都不能改变智能体的行为准则。",
    "error.system_prompt.unreadable": "无法读取 CLINKAI_SYSTEM_PROMPT 指定的文件 {path}：{why}",
    "error.workspace.file": "工作区 {path} 是文件，不是文件夹。",
    "error.workspace.missing": "工作区 {path} 不存在。",
    "error.workspace.name": "工作区 {path} 的名称不是有效文本，无法告诉模型。",
    "error.workspace.unreadable": "无法读取工作区 {path}：没有权限。",

    "error.unreachable.nowhere": "{address} 没有响应，本机上也没有找到模型服务器。",
    "error.unreachable.nowhere.hint": (
        "请启动模型服务器，或把 CLINKAI_BASE_URL 设为它的地址。已在 127.0.0.1 上尝试端口 {ports}。"
        "没有模型时，可用 python clinkai.py demo 先看看效果。"
    ),
    "error.unreachable.no_ollama": "{address} 没有响应；本机上的模型服务器都不是 Ollama：{found}。",
    "error.unreachable.no_ollama.hint": "请启动 Ollama，或设置 CLINKAI_PROVIDER=auto 以使用其他服务器。",
    "error.unreachable.strangers": (
        "{address} 没有响应；本机上找到的程序看不出是模型服务器：{found}。"
    ),
    "error.unreachable.strangers.hint": (
        "如果其中有你的模型服务器，请把 CLINKAI_BASE_URL 设为它的地址；需要密钥时再设置 CLINKAI_API_KEY。"
        "否则请启动模型服务器。"
    ),

    "error.refused.memory": "窗口为 {window} 个 token 时，模型放不进模型服务器的内存：{message}",
    "error.refused.memory.hint": (
        "请调低 CLINKAI_CTX_BUDGET 以申请更小的窗口，换一个更小的模型，或在那台机器上释放内存（ollama ps、ollama stop 模型名）。"
    ),

    "error.rate.long": "模型服务器在 {wait} 内不再接受请求：{message}",
    "error.rate.long.hint": "请届时再试，或换用其他服务器。",

    "error.unreachable.gone": "模型服务器停止响应，等待 {wait} 后仍未恢复。",
    "error.unreachable.gone.hint": "请重新启动它，然后用 --resume auto 继续：此前的内容都已保存。",

    "error.image.file": "无法读取图片 {path}：{why}",
    "error.image.file.hint": "请用 --image 文件 指定一个存在且可读的文件。",
    "error.image.kind": "{path} 不是模型能接收的图片：文件开头不是 PNG、JPEG、GIF 或 WebP。",
    "error.image.kind.hint": "请转换为 PNG 或 JPEG；文本文件可以直接写在任务里。",
    "error.image.large": "图片 {path} 超过 {limit}：会话的每次请求都会再次带上它，有些服务也不接收更大的图片。",
    "error.image.large.hint": "请先缩小图片：模型本来也只会看到几百万像素。",
    "error.image.off": "CLINKAI_VISION 已关闭，不能发送图片。",
    "error.image.off.hint": "请设置 CLINKAI_VISION=auto 或 on，或者去掉 --image。",
    "error.image.blind": "图片没有发送：模型服务器表示它的模型不接收图片。",
    "error.image.blind.hint": (
        "llama-server：请带上该模型的投影文件启动（--mmproj 文件）。其他服务器：请换用支持视觉的模型。如果服务器说得不对，请设置 "
        "CLINKAI_VISION=on。"
    ),
    "error.image.lost": "本会话的一张图片丢失或被改动：{path}",
    "error.image.lost.hint": "请把文件放回原处；也可以不带它继续：--resume auto 会用一段文字代替它。",
    "error.refused.images": "模型服务器不接收图片：{message}",
    "error.refused.images.hint": (
        "llama-server：请带上该模型的投影文件启动（--mmproj 文件）。其他服务器：请换用支持视觉的模型。然后用 --resume auto 继续；如果"
        "要不带图片继续，请同时设置 CLINKAI_VISION=off。"
    ),

    "error.context.refused": "模型服务器认为对话过长而拒绝（{message}）；据我们估计约有 {tokens} 个 token，已经没有可以略去的内容。",
    "error.context.message": (
        "这条消息约有 {tokens} 个 token，系统提示和工具另占 {prefix} 个，而只能放下 {budget} 个。消息没有发送，也没有记录。"
    ),
    "error.context.message.hint": (
        "请缩短消息，或把内容存为工作区里的文件，让模型分段读取。加大服务器窗口（llama-server 用 -c）或调高 CLINKAI_CTX_BUDGET 也可以。"
    ),
    "error.context.prefix": "系统提示、工具和 AGENTS.md 约有 {tokens} 个 token，而只能放下 {budget} 个。什么都没有发送。",
    "error.context.prefix.hint": (
        "请缩短 AGENTS.md 或 CLINKAI_SYSTEM_PROMPT 指定的文件，调低 CLINKAI_MAX_TOKENS，或以更大的上下文启动服务器（"
        "llama-server 用 -c）。"
    ),

    "error.session.newer": "会话 {path} 由更新版本的 ClinkAI 写成（记录版本 {version}）。",
    "error.session.newer.hint": "要继续该会话，请升级 ClinkAI；能读取的内容可用 python clinkai.py sessions show 查看。",
    "error.session.open.hint": "继续会话需要其文件的写权限；只查看的话，可用 python clinkai.py sessions show。",

    "error.session.remove": "无法删除会话：{path}：{why}",
    "error.search.empty": "没有要搜索的内容：文字为空。",
    "error.search.regex": "“{pattern}”不是正则表达式：{why}",
    "error.search.regex.hint": "不加 --regex 时按原文搜索。",

    "error.session.point": "会话 {path} 中没有编号为 {seq} 的记录。",
    "error.session.point.hint": "要查看各条记录及其编号，请运行：python clinkai.py sessions show ID --all --json",
    "error.rewind.count": "可以撤回的消息共有 {most} 条，无法撤回 {n} 条。",
    "error.rewind.count.hint": "请输入 1 到 {most} 之间的数字；不写数字则撤回最新的一条。",

    "error.rewind.nothing": "这个会话中还没有任何对话。",
    "error.rewind.nothing.hint": "请先发送一条消息。",
    "error.rewind.files": "文件只能保留或恢复（keep、restore），不能是“{files}”。",
}
