"""doctor：每项检查的结果、应对办法，以及它对模型说的话（`ask`）。"""

STRINGS = {
    "doctor.label.python": "Python",
    "doctor.label.settings": "设置",
    "doctor.label.server": "服务器",
    "doctor.label.models": "模型",
    "doctor.label.completion": "应答",
    "doctor.label.context": "上下文",
    "doctor.label.tools": "工具调用",
    "doctor.label.cache": "缓存",
    "doctor.label.sessions": "会话",
    "doctor.label.sandbox": "沙箱",
    "doctor.label.terminal": "终端",
    "doctor.mark.ok": "正常",
    "doctor.mark.warn": "注意",
    "doctor.mark.fail": "失败",
    "doctor.hint": "-> {hint}",
    "doctor.comma": "，",
    "doctor.hint.server": "请在服务器自己的输出中查找原因。",
    "doctor.hint.unreachable": "请启动模型服务器，或把 CLINKAI_BASE_URL 设为它的地址。",
    "doctor.summary.ok": "一切正常（{ok} 项检查）。",
    "doctor.summary.warn": "可以使用。{ok} 项正常，{warn} 项还可以改进。",
    "doctor.summary.fail": "尚未就绪：{total} 项检查中有 {fail} 项失败。请先解决第一个"
                           "标为“失败”的项目，再运行 doctor。",

    "doctor.python": "{version}，位于 {path}，{os} {machine}",
    "doctor.python.no_tls": "这个 Python 没有 ssl 模块，无法使用 https 服务器。请换一个带 ssl 的 Python。",
    "doctor.settings.one": "{name}={value}（{source}）",
    "doctor.settings.default": "全部为默认值",
    "doctor.settings.home": "{settings}；主文件夹 {path}",
    "doctor.settings.clear": "CLINKAI_API_KEY 会以明文 http 发到另一台机器，途中任何人都能看到。请在 "
                             "CLINKAI_BASE_URL 中使用 https，或取消该密钥。",
    "doctor.source.flag": "选项",
    "doctor.source.environment": "环境变量",
    "doctor.source.file": "config.toml",

    "doctor.server": "{url} 有应答（{kind}）",
    "doctor.server.demo": "demo 不需要服务器",
    "doctor.server.loading": "{url} 已启动，仍在加载模型",
    "doctor.server.loading.hint": "等服务器提示就绪后，再运行 doctor。",
    "doctor.server.silent": "服务器接受了连接，却一直没有应答（{seconds} 秒）。",
    "doctor.server.silent.hint": "请查看服务器自己的输出：如果卡住了，请重启；如果占用该端口的是别的程序，"
                                 "请把 CLINKAI_BASE_URL 设为模型服务器的地址。",
    "doctor.server.addresses": "常见地址：llama-server http://127.0.0.1:8080/v1（新版本为 :9931），"
                               "Ollama :11434/v1，LM Studio :1234/v1，vLLM :8000/v1，"
                               "SGLang :30000/v1。",
    "doctor.kind.other": "兼容 OpenAI",
    "doctor.wsl.shared": "当前是 WSL 1，与 Windows 共用网络：Windows 上的服务器位于 {url}",
    "doctor.wsl.nat": "当前是 WSL 2：Windows 上的服务器不在 127.0.0.1；在默认的 NAT 网络下，它位于 {url}，"
                      "请把 CLINKAI_BASE_URL 设为该地址。服务器必须监听所有地址（llama-server：--host "
                      "0.0.0.0，Ollama：OLLAMA_HOST=0.0.0.0，LM Studio：在局域网中提供服务），并且 "
                      "Windows 防火墙要放行。若在 .wslconfig 中设置 networkingMode=mirrored，"
                      "则可以使用 127.0.0.1。",
    "doctor.wsl.mirrored": "当前是使用镜像网络的 WSL 2：Windows 上的服务器位于 {url}",
    "doctor.wsl.unknown": "当前是 WSL 2：Windows 上的服务器位于 ip route 显示的默认网关地址；使用镜像网络时则是 "
                          "127.0.0.1。",

    "doctor.models": "{model}；可用的有：{models}",
    "doctor.models.more": "，另有 {n} 个",
    "doctor.models.choose": "有多个模型而没有选定，检查第一个：{models}",
    "doctor.models.choose.hint": "请设置 CLINKAI_MODEL，或使用 --model。",
    "doctor.models.unknown": "{model} 不在可用模型之中：{models}",
    "doctor.models.unknown.hint": "请把 CLINKAI_MODEL 设为其中之一。（只加载一个模型的 llama-server 接受任何"
                                  "名称。）",
    "doctor.models.none": "服务器没有列出任何模型。",
    "doctor.models.none.hint": "请加载一个模型：llama-server -m MODEL.gguf、ollama pull MODEL，或在 "
                               "LM Studio 窗口中加载。",
    "doctor.models.no_list": "服务器没有模型列表。",
    "doctor.models.no_list.hint": "请确认 CLINKAI_BASE_URL 以 API 的起点结尾（通常是 /v1），并用 "
                                  "CLINKAI_MODEL 指定模型。",

    "doctor.completion": "{speed}",
    "doctor.completion.thinking": "{speed}；{tokens} 个 token 还不够它思考完",
    "doctor.completion.silent": "服务器接受了请求，却没有给出回答（{seconds} 秒）。",
    "doctor.completion.silent.hint": "第一次请求可能要加载模型：请查看服务器自己的输出，稍等后再运行 doctor。"
                                     "如果一直如此，请重启服务器或换用更小的模型。",
    "doctor.speed.time": "{first} 后出现第一个词，{all} 后回答完毕",
    "doctor.speed.read": "读取 {rate} token/秒",
    "doctor.speed.write": "生成 {rate} token/秒",

    "doctor.context": "{window} 个 token",
    "doctor.context.unknown": "服务器没有说明；按 {budget} 个 token 处理",
    "doctor.context.small": "这对处理文件来说偏小。{how}",
    "doctor.context.hint.llamacpp": "请用更大的 -c 启动 llama-server，例如 -c 32768（会被 -np 平分）。",
    "doctor.context.hint.ollama": "请调大 CLINKAI_CTX_BUDGET：会按它申请窗口，但不超过模型训练时的长度。使用 "
                                  "CLINKAI_PROVIDER=openai 时无法申请，请用 "
                                  "OLLAMA_CONTEXT_LENGTH=32768 启动 Ollama。",
    "doctor.context.hint.lmstudio": "请在模型的加载设置中调大上下文长度。",
    "doctor.context.hint.vllm": "请用更大的 --max-model-len 启动 vLLM。",
    "doctor.context.hint.sglang": "请用更大的 --context-length 启动 SGLang。",
    "doctor.context.hint.other": "请让服务器的窗口达到 32,768 个 token 或更多；如果服务器不说明，请把 "
                                 "CLINKAI_CTX_BUDGET 设为该值。",

    "doctor.tools": "模型调用了工具，并使用了结果",
    "doctor.tools.slow": "在剩下的 {seconds} 秒内没有回答",
    "doctor.tools.slow.hint": "服务器有应答，但很慢。可以换更小的模型、更小的量化，或把更多层放到 GPU 上。",
    "doctor.tools.none": "要求调用工具时，模型只用文字作答",
    "doctor.tools.none.hint": "小模型往往做不到，执行任务时很可能失败。如果这个模型本该做得到，可能是它的聊天模板"
                              "没有渲染工具（llama-server：--jinja 或 --chat-template-file）。",
    "doctor.tools.cut": "{tokens} 个 token 之后模型仍在思考，或调用被截断",
    "doctor.tools.cut.hint": "请保持较大的 CLINKAI_MAX_TOKENS，或在服务器上限制思考（llama-server："
                             "--reasoning-budget）。",
    "doctor.tools.wrong": "模型调用的内容不对：{call}",
    "doctor.tools.wrong.hint": "这样的模型会在调用中出错，难免浪费一些轮次。更大的模型会好一些。",
    "doctor.tools.unused": "模型调用了工具，却没有使用结果",
    "doctor.tools.unused.hint": "可能是模型太小，也可能是它的聊天模板没有渲染工具结果（llama-server：--jinja 或 "
                                "--chat-template-file）。",
    "doctor.tools.text": "模型把调用写成了文字，服务器没有识别出来",
    "doctor.tools.hint.jinja": "请用 --jinja 启动 llama-server；如果还不够，请加上适合该模型的聊天模板"
                               "（--chat-template-file）。",
    "doctor.tools.hint.vllm": "请用 --enable-auto-tool-choice 和 --tool-call-parser NAME 启动 vLLM"
                              "（Qwen 2.5 和 3 用 hermes，Qwen3-Coder 用 qwen3_coder）。",
    "doctor.tools.hint.model": "请选择模板支持工具的模型：ollama show MODEL 会列出它的能力。",
    "doctor.tools.hint.other": "请在服务器上为该模型启用工具调用：需要相应的聊天模板和解析器。",

    "doctor.cache": "第二次请求的 {prompt} 个提示词 token 中有 {cached} 个来自缓存",
    "doctor.cache.low": "之前发送的 {first} 个 token 中只有 {cached} 个来自缓存",
    "doctor.cache.unknown": "服务器没有说明有多少来自缓存",
    "doctor.cache.hint.llamacpp": "这样每一轮都要重新读取整个对话。不要使用 -ctxcp 0 或 --no-cache-prompt，"
                                  "保持 --cache-ram 开启，并且不要让其他客户端占用该槽位（或使用 -np 2）。",
    "doctor.cache.hint.vllm": "请用 --enable-prompt-tokens-details 启动 vLLM 以便查看（并且不要使用 "
                              "--no-enable-prefix-caching）。",
    "doctor.cache.hint.sglang": "请用 --enable-cache-report 启动 SGLang 以便查看。",
    "doctor.cache.hint.other": "这样每一轮都要重新读取整个对话：请在服务器上启用提示词（前缀）缓存。",

    "doctor.sessions": "{path} 可以写入，剩余空间 {free}",
    "doctor.sessions.fail": "{path} 无法写入：{why}",
    "doctor.sessions.fail.hint": "请授予权限、腾出空间，或把 CLINKAI_HOME 或 CLINKAI_SESSIONS 设为别的文件夹。",
    "doctor.sessions.full": "磁盘快满了：会话无法写入时就会停止。",
    "doctor.sessions.inside": "会话存放在工作区内，你的各种工具都会看到它们。请把 CLINKAI_SESSIONS 设为别处的"
                              "文件夹。",

    "doctor.sandbox": "可以限制命令：Landlock 版本 {abi} 和系统调用过滤",
    "doctor.sandbox.mounts": "可以限制命令：Landlock 版本 {abi}、系统调用过滤和只读挂载",
    "doctor.sandbox.root": "您是 root。受限的命令会失去 root 的权限，因此不能写其他用户的文件；您批准的命令"
                           "则保留这些权限。最好以其他用户运行 ClinkAI。",
    "doctor.sandbox.broken": "内核具备条件，但无法限制命令：{step}，{why}",
    "doctor.sandbox.old": "此内核的 Landlock 低于版本 3，不能防止文件被清空",
    "doctor.sandbox.machine": "没有适用于这种机器的系统调用表",
    "doctor.sandbox.not_linux": "此系统没有",
    "doctor.sandbox.missing": "此内核没有 Landlock",
    "doctor.sandbox.off": "此内核有 Landlock，但没有启用",
    "doctor.sandbox.blocked": "查询 Landlock 的调用在这里被阻止（可能是容器）",
    "doctor.sandbox.hint": "无需处理：凡是不能确定无害的命令都会先询问。",

    "doctor.terminal": "{columns} 列，{encoding}，TERM={term}，{colour}",
    "doctor.terminal.colour_on": "有颜色",
    "doctor.terminal.colour_off": "无颜色",
    "doctor.terminal.none": "不是终端：没有人可以询问，需要同意的操作会被拒绝（--allow 可以放行更多）",
    "doctor.terminal.encoding": "有些字符无法显示。请设置 PYTHONUTF8=1（Windows 上还要：chcp 65001）。",
    "doctor.terminal.narrow": "差异和表格至少需要 {columns} 列。",

    "doctor.ask.system": "下面会问你几个简短的问题，用来确认服务器是否正常。请尽量简短地回答。",
    "doctor.ask.word": "请只回答一个词：ready",
    "doctor.ask.tool": "请调用一次工具 {name}，参数 harbour = \"{harbour}\"。得到结果后，回答它给出的编号。",
    "doctor.ask.tool_about": "查询一个港口的编号，返回一个数字。",
    "doctor.ask.result": "编号是 {code}。",

    "doctor.cache.unmade": "未检查，因为工具调用没有返回",
    "doctor.cache.unmade.hint": "请先解决工具调用的问题，再运行 doctor。",

    "doctor.label.slots": "槽位",
    "doctor.label.thinking": "思考",
    "doctor.slots.one": "只有一个：别的对话会占掉本对话的缓存",
    "doctor.slots": "共 {n} 个：每个会话固定用其中一个，缓存不会被别的对话占掉",
    "doctor.thinking.asked": "按要求（preserve_thinking）留在对话里：下一条消息只需读它自己",
    "doctor.thinking.kept": "模板会把它留在对话里：下一条消息只需读它自己",
    "doctor.thinking.stripped": "下一条消息到来时，模板会把它删掉：那时要把上一轮对话重新读一遍",
    "doctor.thinking.stripped.hint": (
        "WARM_UP 会趁你打字时先读好。若单轮很长，内存够的话请用 -ctxcp 128 启动 llama-server，或换一个保留思考的模板（--chat-te"
        "mplate-file）。"
    ),
    "doctor.thinking.unseen": "模板不把它放进对话：模型想过和说过的内容每一轮都要重新读",
    "doctor.thinking.unseen.hint": (
        "请给 llama-server 换一个会写入 reasoning_content 的模板（--chat-template-file）。"
    ),
}
