"""一轮任务中发生的事（给人看），以及程序对模型说的话（`ask`、`tool`）。"""

STRINGS = {
    "notice.ask.again": "你对 {tool} 的调用被输出上限截断，没有执行。请重新调用；上限已经提高。",
    "notice.ask.answer": "你只进行了思考，没有给出回答。请现在回答，或进行下一次工具调用。",
    "notice.ask.continue": "你的回答被输出上限截断。请从停下的地方准确地继续，不要重复任何内容。",
    "notice.ask.parts": (
        "你对 {tool} 的调用再次被截断，没有执行。请分成更小的步骤：先写一个短文件，再用几次 edit 补充。"
    ),
    "notice.agents_md.binary": (
        "{path} 不是文本，模型不知道其中的说明。请存为 UTF-8，再开始新会话。"
    ),
    "notice.agents_md.cut": (
        "{path} 超过 {limit} 字节：只有开头部分交给了模型。请缩短它，或把内容移到子文件夹的 AGENTS.md 中。"
    ),
    "notice.agents_md.cut_mark": "[此文件的其余部分已略去]",
    "notice.agents_md.unreadable": (
        "无法读取 {path}（{why}），模型不知道其中的说明。请修正权限后开始新会话。"
    ),
    "notice.breaker.failures": (
        "已停止：{tool} 连续失败 {n} 次。请查看最后的错误，告诉模型换一种做法，或用 --resume auto 继续。"
    ),
    "notice.breaker.length": (
        "已停止：回答一再被输出上限（{tokens} 个 token）截断。请调高 CLINKAI_MAX_TOKENS，或一次少要一些。"
    ),
    "notice.breaker.repeat": (
        "已停止：连续 {n} 轮对 {tool} 的相同调用得到相同结果。请告诉模型该怎么做，或用 --resume auto 继续。"
    ),
    "notice.breaker.thinking": (
        "已停止：模型两次都只思考而没有回答。输出上限（{tokens} 个 token）都用在了思考上："
        "请调高 CLINKAI_MAX_TOKENS，用 CLINKAI_THINKING=off 关闭思考，或用 token 数限制它，如 CLINKAI_THINKING=1024。"
    ),
    "notice.cap": "已停止：{n} 轮之后仍没有最终回答。用 --resume auto 继续，或用 --max-rounds 允许更多轮。",
    "notice.breaker.unanswered": (
        "已停止：模型两次都只思考而没有回答。请用 CLINKAI_THINKING=off 关闭思考，或换用其他模型。"
    ),
    "notice.thought": "模型只进行了思考，没有给出回答；正在请它作答。",
    "notice.continued": "回答被输出上限截断；正在请模型继续（{n}）。",
    "notice.model": "此会话现在使用模型 {model}。",
    "notice.session.torn": (
        "会话文件的最后一行不完整（{bytes} 字节，上次写入时被打断），已移除。之前的内容都在。"
    ),
    "notice.session.unlocked": "{path} 所在的磁盘不支持文件锁，无法阻止另一个 ClinkAI 同时写入该会话。请勿重复打开。",
    "notice.tool.file_changed": "文件已被修改；继续之前请先读取它。",
    "notice.tool.file_untouched": "文件没有被修改。",
    "notice.tool.interrupted": "在记录结果之前被打断；它可能已经执行。",
    "notice.tool.not_run": "未执行：用户停止了这一轮。",
    "notice.tool.stopped": "执行过程中被用户停止；它可能已完成一部分。",
    "notice.workspace": "此会话最初在 {was} 中工作；现在在 {now} 中工作。",

    "notice.status": "[状态：第 {n} 轮，共 {cap} 轮；上下文 {percent}%{place}]",

    "notice.sandbox": (
        "这台机器没有内核沙箱（原因见 doctor）：sandbox 模式与 auto 相同，其他命令仍会先询问。"
    ),
    "notice.sandbox.wide": (
        "此工作区包含您的主目录或 ClinkAI 自己的目录：不能让命令未经询问就在其中写入，因此 sandbox "
        "模式与 auto 相同。请为工作单独选一个文件夹。"
    ),

    "notice.server.found": "{was} 没有响应，改用 {server}。若要固定使用它，请设置 CLINKAI_BASE_URL={address}。",
    "notice.server.several": (
        "{was} 没有响应，改用 {server}。本机上的其他服务器：{others}。若要固定使用其中一个，请把 CLINKAI_BASE_URL 设为它的地址。"
    ),

    "notice.ask.broken": "你的回答中断了：与模型服务器的连接丢失。请从停下的地方准确地继续，不要重复任何内容。已经开始的工具调用没有执行。",
    "notice.ask.repetition": "你的回答开始重复，已在那里停止。请从该处继续写新的内容，或者收尾结束。",
    "notice.breaker.repetition": (
        "已停止：更换采样方式后，回答仍在重复。重复之前的内容已保留。请换一种问法，或一次少要一些；如果总是这样，请调高 CLINKAI_TEMPERATURE，或换用其"
        "他模型、量化程度较低的模型。"
    ),
    "notice.broken": "回答中断（{why}）。已显示的内容保留；正在请模型继续（第 {n} 次，最多 {of} 次）。",
    "notice.repetition": "回答开始重复，已停止；正在换一种采样方式再试一次。",
    "notice.wait.down": "模型服务器不再响应；正在等待它恢复。",
    "notice.wait.loading": "服务器仍在加载模型；正在等待。",
    "notice.wait.rate": "服务器要求稍候；{seconds} 秒后重试。",
    "notice.wait.retry": "服务器没能给出回答；{seconds} 秒后重新发送同一请求。",
    "notice.wire.dropped_markup": "回答中残留了模型对话模板的标记，已去除。",
    "notice.wire.name_fixed": "模型写错了工具名；已按唯一可能的工具处理。",
    "notice.wire.prompt_truncated": (
        "提示约有 {sent} 个 token，服务器只读取了 {prompt} 个：开头被截掉，模型并不知道全部对话。请给它更大的上下文。Ollama：使用 CLIN"
        "KAI_PROVIDER=auto 或 ollama（会设置 num_ctx），或以 OLLAMA_CONTEXT_LENGTH={need} 启动 Ollam"
        "a。其他服务器：调高启动时的上下文长度，llama-server 为 -c {need}。"
    ),
    "notice.wire.repaired_call": "一次工具调用的参数是损坏的 JSON，已修复。",
    "notice.wire.text_call": "模型把工具调用写成了文本；已作为调用处理。",
    "notice.wire.unclosed_thinking": "模型没有标明思考在哪里结束：思考与回答的界线可能有误。",

    "notice.wire.field_rejected": "服务器不接受请求中的字段 {field}；以后不再发送。",

    "notice.wire.folded": "模型的对话模板不允许调用同时带有文字和思考；以后两者放在同一个字段中发送。",

    "notice.wire.field_unheeded": "设置 {field} 在这个服务器或模型上看不到效果。",

    "notice.image.gone": "［这里原有一张图片（{mime}），现已不可用。］",
    "notice.image.lost": "本会话有 {n} 张图片丢失或被改动。从现在起由一段文字代替，因此服务器要从该处重新读取对话。",
    "notice.image.off": "CLINKAI_VISION 已关闭：从现在起由文字代替本会话的 {n} 张图片，因此服务器要从该处重新读取对话。",

    "notice.mode.plan": "plan 模式：不作任何修改；写入、编辑和其他命令都会被拒绝。",
    "notice.mode.ask": "ask 模式：每次修改和每条其他命令都会先询问。",
    "notice.mode.auto": "auto 模式：可直接写入和编辑工作区中的文件；其他命令会先询问。",
    "notice.mode.sandbox": "sandbox 模式：可直接写入和编辑文件；其他命令在沙箱中运行，无需询问。",
    "notice.told.plan": (
        "[模式：plan。从现在起只看不改：读取、搜索、运行只读命令。修改和其他命令都会被拒绝。请给出计划。]"
    ),
    "notice.told.ask": "[模式：ask。从现在起，每次修改以及每条并非只读的命令都需要用户同意。]",
    "notice.told.auto": (
        "[模式：auto。从现在起可以修改工作区中的文件；并非只读的命令需要用户同意。]"
    ),
    "notice.told.sandbox": (
        "[模式：sandbox。从现在起可以修改工作区中的文件，命令无需询问即可运行，但受到限制："
        "只能在工作区中写入，且没有网络。]"
    ),

    "notice.cache.changed": "已发送过的内容被改动:服务器重新读取了 {lost} 个 token(约 {seconds} 秒)。这是 ClinkAI 的缺陷,请反馈。",
    "notice.cache.answer": "服务器对上一条回答的渲染与生成时不同:重新读取了 {lost} 个 token(约 {seconds} 秒)。",
    "notice.cache.template": (
        "有新消息时,聊天模板会改变之前消息的写法(通常是去掉思考):"
        "重新读取了 {lost} 个 token(约 {seconds} 秒)。"
    ),
    "notice.cache.rewound": "服务器只能退回到缓存中更早的位置:重新读取了 {lost} 个 token(约 {seconds} 秒)。",
    "notice.cache.lost": "服务器的缓存中已没有这段对话,或它的槽位被别的对话占用:重新读取了 {lost} 个 token(约 {seconds} 秒)。",

    "notice.compact.nothing": "没有可以压缩的内容：最近几轮总会保留。",

    "notice.archived": "上下文快满了：最早的消息已换成摘要，约 {before} 个 token 现为 {after} 个（用时 {time}）。会话文件保留全部内容。",
    "notice.archive.failed": "没能为最早的消息写出摘要（{why}）。本会话不再请求摘要，这些消息会直接移出上下文。",
    "notice.window": "上下文快满了：最早的消息已移出，约 {before} 个 token 现为 {after} 个。会话文件保留全部内容。",

    "notice.kv.save": "服务器没有保存本次会话的缓存：{why}。下次继续会话时要重新读一遍。",
    "notice.kv.restore": "服务器没有读回本次会话的缓存：{why}。对话会重新读一遍。",
    "notice.kv.unproved": "读回的缓存没起作用：{expected} 个 token 里，服务器只认得 {cached} 个。",

    "notice.undo.full": "没有保存 {path} 的旧内容：本会话供撤销用的内容已达 {limit}。这次改动无法撤销；新会话会重新有空间。",
    "notice.undo.lost": "该命令改动或删除了一些文件，其旧内容因太大或太多而没有保存（{n} 个）：{files}。这些改动无法撤销。",
    "notice.undo.wide": (
        "工作区的文件超过 {n} 个，或者查看一遍要超过 {seconds} 秒：本会话中命令改动或删除的文件无法撤销，write 和 edit 的改动仍可撤销。把生成"
        "的文件夹写进 .gitignore 会有帮助。"
    ),
    "notice.undo.unkept": "运行命令前无法保存文件（{why}）：该命令的改动无法撤销。",

    "notice.rewound": "对话从记录 {to} 之后继续。其后的内容仍保留在会话中：sessions show --all。",

    "notice.status.branch": "；git 分支 {branch}",
    "notice.status.folder": "；现在的文件夹 {path}",
}
