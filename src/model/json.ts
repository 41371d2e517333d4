/** A property of whatever it is; undefined where there is none. */
export function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** What an answer of Chat Completions says; undefined where it says nothing. */
export function firstChoice(body: unknown): unknown {
  const choices = field(body, 'choices');
  return Array.isArray(choices) ? choices[0] : undefined;
}

/** The value of a JSON text; undefined if it is not one. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
