// Loaded into a program before its own code, see clock-env.ts: its clock goes as many milliseconds ahead as the variable says.
const { now } = Date;
const aheadMs = Number(process.env.NOON_AHEAD_MS);
const nowAtNoon = () => now() + aheadMs;

globalThis.Date = new Proxy(Date, {
  construct: (target, given, self) =>
    Reflect.construct(target, given.length === 0 ? [nowAtNoon()] : given, self),
  get: (target, name) => (name === 'now' ? nowAtNoon : Reflect.get(target, name)),
});
