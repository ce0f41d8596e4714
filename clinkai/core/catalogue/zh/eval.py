"""评测套件：它自己的用语、检查细节与汇总。"""

STRINGS = {
    # 格式不正确的任务。
    "eval.task.folder": "无法读取 {path} 中的任务：{why}",
    "eval.task.empty": "{path} 中没有任务。",
    "eval.task.none": "缺少 {where}。",
    "eval.task.toml": "{where} 不是有效的 TOML：{why}",
    "eval.task.missing": "{where}：缺少 {field}。",
    "eval.task.type": "{where}：{field} 的形式不对。",
    "eval.task.unknown": "{where}：不认识 {field}。",
    "eval.task.value": "{where}：id 必须与文件夹同名，policy 只能是 always 或 usually，至少要有一个 "
                       "turn 和一个 check，并且每个 turn 对应一个 solution。",
    "eval.check.kind": "任务 {task}：没有 {kind} 这种检查。",
    "eval.check.param": "任务 {task} 的检查 {kind}：{name} 缺失、未知或类型不对。",
    "eval.check.regex": "任务 {task} 的检查 {kind}：表达式无法使用：{why}",

    # 检查看到的情况。
    "eval.check.no_file": "没有 {path}",
    "eval.check.differs": "{path} 的内容不同，开头是：{start}",
    "eval.check.no_match": "{path} 不匹配，开头是：{start}",
    "eval.check.exists": "{path} 存在",
    "eval.check.changed": "有改动（{n} 处）：{paths}",
    "eval.check.time": "{seconds} 秒后仍未结束",
    "eval.check.exit": "退出码 {code}：{last}",
    "eval.check.stdout": "输出不匹配：{last}",
    "eval.check.answer": "回答不匹配：{start}",
    "eval.check.not_called": "没有执行过符合条件的 {name} 调用；执行过的有：{ran}",
    "eval.check.called": "{name} 执行了 {n} 次",
    "eval.check.count": "{found}，允许 {limit}",

    # 命令行。
    "eval.error.option": "eval 不认识 {option}。",
    "eval.error.option.hint": "eval [run | check] [--only REGEX] [--repeat K] [--jobs N] "
                              "[--out DIR] [--tasks DIR] [--list] [--json]",
    "eval.error.value": "{option} 需要一个值。",
    "eval.error.number": "{option} 的值是 {value}，必须是 1 到 {high} 之间的整数。",
    "eval.error.regex": "--only {value} 不是正则表达式：{why}",
    "eval.error.nothing": "没有任务符合 --only {value}。现有任务：{names}",
    "eval.error.out": "{path} 里已有内容；一次评测的结果需要单独的文件夹。",
    "eval.error.out.hint": "请用 --out DIR 另选一个文件夹。",
    "eval.error.write": "无法写入结果：{why}",

    # 一次评测。
    "eval.run.start": "{tasks} 个任务，每个 {repeat} 次，模型 {model}；结果写到 {out}",
    "eval.run.demo": "demo 是按脚本应答的替身，完全不知道这些任务：它只能说明流程能跑通，不能说明模型好坏。",
    "eval.run.jobs": "服务器有 {slots} 个槽位，而 --jobs 是 {jobs}：各次试验会互相等待，耗时没有参考价值。",
    "eval.run.trial": "[{number}] {unit}  {status}  {time}{why}",
    "eval.status.pass": "通过",
    "eval.status.fail": "未通过",
    "eval.status.timeout": "超时",
    "eval.status.error": "出错",
    "eval.status.skipped": "跳过",
    "eval.why.exit": "智能体以退出码 {code} 结束：{last}",
    "eval.why.skipped": "需要 {needed} 个 token 的上下文，服务器只有 {n_ctx}",
    "eval.why.gone": "模型服务器已无应答",
    "eval.run.gone": "模型服务器已无应答，评测中止。",
    "eval.run.stopped": "已停止。已完成的试验会保留。",
    "eval.run.invalid": "本次评测无效：计划的 {planned} 次试验中，{errors} 次因服务器或程序出错而结束，"
                    "{missing} 次没有运行。这些数字不能说明模型的好坏。详情见 {out}",
    "eval.run.results": "结果：{path}",

    # 汇总。
    "eval.table.task": "任务",
    "eval.table.passed": "通过",
    "eval.table.rounds": "轮数",
    "eval.table.cache": "缓存命中",
    "eval.table.reprocessed": "重新读取",
    "eval.table.time": "用时",
    "eval.summary.passed": "{n} 次试验通过 {passed} 次：pass@1 {rate}，pass^{k} {hat}\n"
                           "95 % 区间：按试验 {wilson}（Wilson，视为相互独立），按任务 {bootstrap}"
                           "（自助法）",
    "eval.summary.others": "超时 {timeouts} 次（计为未通过），出错 {errors} 次、跳过 {skipped} 次"
                           "（不计入）",
    "eval.summary.cache": "从第二轮起，提示词 token 的缓存命中率为 {hit}；服务器总共读取了 "
                          "{reprocessed} 个提示词 token",

    # eval check 与 --list。
    "eval.policy.always": "必须通过",
    "eval.policy.usually": "通常通过",
    "eval.list": "{name}  难度 {level}，{policy}：{title}",
    "eval.check.ok": "{name}：正常",
    "eval.check.untouched": "{name}：什么都不做也能通过",
    "eval.check.solution": "{name}：用它自己的解法也不能通过：{kind}：{detail}",
    "eval.check.unstable": "{name}：对同样的文件检查两次，结论不同",
}
