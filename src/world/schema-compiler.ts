import type { JsonSchema } from '../axe/loop/structured.js';
import type { World } from '../axe/ports.js';

/** Checks by JSON schema; the compiler is loaded only for a run that has a schema (D34). */
export function createSchemaCompiler(): World['compileSchema'] {
  return async (schema, origin, leftMs) => {
    const { compileSchema } = await import('../host/json-schema.js');
    return await compileSchema(schema, origin, leftMs);
  };
}

/** Refuses what is no JSON schema, and makes no program of it; loaded only where there is one. Throws a ConfigError. */
export async function inspectSchema(schema: JsonSchema, origin: string): Promise<void> {
  const loaded = await import('../host/json-schema.js');
  await loaded.inspectSchema(schema, origin);
}
