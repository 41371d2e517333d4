/** A property of any value; undefined if there is none. */
export function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; `otherwise` if it is not one. */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** True if a JSON value has more levels than `maxDepth`; a plain value has none. */
export function depthExceeds(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((nested): unknown[] => Object.values(nested)).filter(isNested);
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** All texts of a JSON value, names included, however deeply it is nested. */
export function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') texts.push(next);
    if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (isNested(next)) for (const entry of Object.entries(next)) waiting.push(...entry);
  }
  return texts;
}

/** A JSON value with each of its texts changed, names included. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  // The cast is sound for JSON: each text stays a text.
  return changedTexts(value, change) as T;
}

function changedTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => changedTexts(item, change));
  if (!isNested(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), changedTexts(member, change)]),
  );
}

/** `Map.groupBy`, which Node 20 does not have. */
export function groupBy<T, K>(
  items: readonly T[],
  keyOf: (item: T) => K,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
