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
        "请调高 CLINKAI_MAX_TOKENS，或提出更小的请求。"
    ),
    "notice.cap": "已停止：{n} 轮之后仍没有最终回答。用 --resume auto 继续，或用 --max-rounds 允许更多轮。",
    "notice.continued": "回答被输出上限截断；正在请模型继续（{n}）。",
    "notice.model": "此会话现在使用模型 {model}。",
    "notice.session.torn": (
        "会话文件的最后一行不完整（{bytes} 字节，上次写入时被打断），已移除。之前的内容都在。"
    ),
    "notice.tool.file_changed": "文件已被修改；继续之前请先读取它。",
    "notice.tool.file_untouched": "文件没有被修改。",
    "notice.tool.interrupted": "在记录结果之前被打断；它可能已经执行。",
    "notice.tool.not_run": "未执行：用户停止了这一轮。",
    "notice.tool.stopped": "执行过程中被用户停止；它可能已完成一部分。",
    "notice.workspace": "此会话最初在 {was} 中工作；现在在 {now} 中工作。",

    "notice.status": "[状态：第 {n} 轮，共 {cap} 轮；上下文 {percent}%]",

    "notice.sandbox": "此版本没有内核沙箱：sandbox 模式与 auto 相同，其他命令仍会先询问。",
}
