"""What stands for messages that left the context, and how the model is asked for a summary of them."""

STRINGS = {

    "archive.ask": (
        "[ClinkAI：上下文快满了。在继续之前，请为自己写一份工作摘要，较早的消息将由它代替。现在不要调用工具，也不要继续任务。最多 {words} 个词，使用用户"
        "的语言，按以下标题列出要点：目标（用户想要什么，用其原话）、约束、决定（及理由）、已完成和已查明的内容（事实、名称、数字、文件中的位置）、未解决的问题、下一步。"
        "不要列出文件和命令清单，它们会从日志中补上。除摘要外什么都不要写。]"
    ),
    "archive.ask.wish": "[用户补充：{wish}]",
    "archive.begin": "[背景：为节省空间，较早的消息已略去。以下是其结果，不是新的请求；已经做完的事不要重做。修改文件前须重新读取。]",
    "archive.summary": "助手写的摘要：\n{summary}",
    "archive.facts.read": "读过的文件：{items}",
    "archive.facts.created": "新建的文件：{items}",
    "archive.facts.changed": "改过的文件：{items}",
    "archive.facts.commands": "运行过的命令及退出码：{items}",
    "archive.facts.more": "另有更早的 {n} 项",
    "archive.end": "[背景结束；以下是用户的消息：]",
    "archive.empty": "模型没有写出摘要",
    "archive.long": "摘要有 {tokens} 个 token，腾不出一半空间",

    "archive.facts.deleted": "删除的文件：{items}",
}
