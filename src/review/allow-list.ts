/**
 * The name as the allow-list writes it, if it allows it: `*` stands for anything, and case counts for nothing, as with
 * GitHub's labels and logins.
 */
export function allowedName(name: string, patterns: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const exact = patterns.find((pattern) => pattern.toLowerCase() === lower);
  if (exact !== undefined) return exact;
  return patterns.some((pattern) => matches(lower, pattern.toLowerCase().split('*'))) ? name : undefined;
}

/** The names of a list as people and models write one: separated by commas or line breaks, each once. */
export function splitNames(list: string | undefined): readonly string[] {
  const names = (list ?? '').split(/[,\n]/).map((name) => name.trim());
  const seen = new Map(names.filter((name) => name !== '').map((name) => [name.toLowerCase(), name]));
  return [...seen.values()];
}

/** The parts in their order with anything between: the first place each fits is as good as any other. */
function matches(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
