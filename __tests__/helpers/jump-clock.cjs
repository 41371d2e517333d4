// Loaded into a program before its own code, see clock-env.ts: at each SIGUSR2 its time jumps ahead, and what is due then is done.
const { now } = Date;
const monotonicNow = performance.now.bind(performance);
const start = globalThis.setTimeout;
const stop = globalThis.clearTimeout;
const timers = new Map();
let aheadMs = 0;

const jumpedNow = () => now() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, self) =>
    Reflect.construct(target, given.length === 0 ? [jumpedNow()] : given, self),
  get: (target, name) => (name === 'now' ? jumpedNow : Reflect.get(target, name)),
});
performance.now = () => monotonicNow() + aheadMs;

globalThis.setTimeout = Object.assign((run, ms = 0, ...given) => {
  const timer = start(() => {
    timers.delete(timer);
    run(...given);
  }, ms);
  const begin = () => timers.set(timer, { atMs: jumpedNow() + ms, run: () => run(...given) });
  begin();
  const refresh = timer.refresh.bind(timer);
  timer.refresh = () => {
    begin();
    return refresh();
  };
  return timer;
}, start);
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  stop(timer);
};

const promises = require('node:timers/promises');
promises.setTimeout = (ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, value);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
require('node:module').syncBuiltinESMExports();

process.on('SIGUSR2', () => {
  aheadMs += Number(process.env.JUMP_MS);
  const due = [...timers].filter(([, { atMs }]) => atMs <= jumpedNow());
  for (const [timer, { run }] of due.sort(([, left], [, right]) => left.atMs - right.atMs)) {
    if (!timers.delete(timer)) continue;
    stop(timer);
    run();
  }
});
