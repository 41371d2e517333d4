import { type SchemaObject, subschemas } from './check-schema.js';

/**
 * What a compiler of schemas would trip over that the rules of schemas do not tell: a `$ref` that points at nothing (RFC
 * 6901), or a pattern that is none. Half a sentence; undefined if there is nothing. Anchors, and references in a schema
 * that has an `$id` inside, which counts them anew, are taken as they are.
 */
export function schemaProblem(schema: SchemaObject): string | undefined {
  const parts = [...subschemas(schema)];
  const isOnePlace = !parts.slice(1).some((part) => '$id' in part);
  for (const { $ref, pattern, patternProperties } of parts) {
    if (isOnePlace && typeof $ref === 'string' && $ref.startsWith('#/') && !leads(schema, $ref)) {
      return `\`$ref\` ${JSON.stringify($ref)} leads nowhere`;
    }
    const keys = typeof patternProperties === 'object' ? Object.keys(patternProperties ?? {}) : [];
    const wrong = [pattern, ...keys].find((one) => typeof one === 'string' && !isPattern(one));
    if (wrong !== undefined) return `${JSON.stringify(wrong)} is not a pattern`;
  }
  return undefined;
}

function leads(schema: SchemaObject, ref: string): boolean {
  let value: unknown = schema;
  for (const token of ref.slice(2).split('/')) {
    const name = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
    value = new Map<string, unknown>(Object.entries(value)).get(name);
  }
  return true;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
