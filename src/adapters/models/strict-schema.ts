/**
 * Whether OpenAI can hold an answer to a schema to the letter: every object closed and all its properties required
 * (developers.openai.com, structured outputs). It refuses the request otherwise, so strictness is not asked for then;
 * the answer is checked by us in any case.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== 'object' || schema === null) return true;
  const parts = Object.entries(schema);
  const properties: unknown = Reflect.get(schema, 'properties');
  if (properties !== undefined || Reflect.get(schema, 'type') === 'object') {
    const required: unknown = Reflect.get(schema, 'required');
    const names = Object.keys(properties ?? {});
    if (Reflect.get(schema, 'additionalProperties') !== false) return false;
    if (names.some((name) => !Array.isArray(required) || !required.includes(name))) return false;
  }
  return parts.every(([key, part]) => isValue(key) || isStrictSchema(part));
}

/** Keywords whose values are data, not schemas. */
function isValue(key: string): boolean {
  return ['const', 'enum', 'default', 'examples', 'required', 'additionalProperties'].includes(key);
}
