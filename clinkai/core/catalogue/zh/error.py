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
    "error.refused.missing.hint": "请检查 CLINKAI_BASE_URL（通常以 /v1 结尾）和 CLINKAI_MODEL。",
    "error.refused.large": "模型服务器或它前面的代理不接受这么大的请求：{message}",
    "error.refused.large.hint": "请调高服务器或代理的大小上限，或分段读取。",
    "error.refused.template": "模型的对话模板不接受当前对话：{message}",
    "error.refused.template.hint": "请换用其他对话模板启动服务器，或换一个模型。",
    "error.overflow": "对话超出了模型服务器的上下文：{message}",
    "error.overflow.counted": "对话有 {prompt} 个 token，而模型服务器的上下文只有 {limit}。",
    "error.stream.ended": "模型服务器的回答还没有完成就结束了。",
    "error.stream.closed": "回答还没有完成，连接就断开了：{why}",
    "error.stream.reported": "模型服务器报告了错误：{message}",
    "error.bad_response.redirect": "模型服务器要求转到 {target}（HTTP {status}）。"
                                   "为了不把密钥交给别处，没有跟随。",
    "error.bad_response.redirect.hint": "如果该地址正确，请把 CLINKAI_BASE_URL 设为它。",
    "error.bad_response.status": "模型服务器出错，但没有说明原因：{message}",
    "error.bad_response.html": "回答的是网页，而不是模型服务器：{message}",
    "error.bad_response.http": "{address} 上的程序不使用 HTTP：{why}",
    "error.bad_response.json": "模型服务器的回答不是 JSON：{start}",
    "error.bad_response.shape": "模型服务器的回答格式与预期不符：{start}",
    "error.bad_response.encoding": "模型服务器的回答无法解压：{why}",
    "error.bad_response.large": "模型服务器发来的内容超过 {limit} 仍未结束。",
    "error.bad_response.nothing": "模型什么也没有回答：没有文字，没有思考，也没有工具调用。",
    "error.bad_response.nothing.hint": "请重试。如果经常发生，说明模型或其对话模板与服务器不匹配。",
}
