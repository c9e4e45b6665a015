// One wakeup or call of kernel A, from its first to its last slice.

// Takes a run to the end of the next one and resolves to what the picture is
// to show of it, or to undefined if a pause or the run's end came before.
export async function nextOne(run, path) {
  const begins = path === "call" ? "csd_queue_cpu" : "sched_waking";
  const start = await run.step({ event: begins }, 0);
  if (!start) return undefined;
  const fromPs = run.nowPs;
  const cpu = String(start.to);
  const end = await run.step(path === "call" ? { event: "csd_function_exit", cpu } : { enters: "finish_task_switch", cpu }, 0);
  if (!end) return undefined;
  return { view: "timeline", cpus: [...new Set([start.cpu, start.to])].join(","), pin: cpu, windowPs: Math.max(1e6, Math.round(1.5 * (run.nowPs - fromPs))) };
}
