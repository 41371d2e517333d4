import type { Dependencies } from '../core/dependencies.js';
import type { JsonSchema } from '../core/loop/structured.js';

/** Checks by JSON schema; the compiler is loaded only for a run that has a schema (D34). */
export function createSchemaCompiler(): Dependencies['compileSchema'] {
  return async (schema, origin, leftMs) => {
    const { compileSchema } = await import('../adapters/host/json-schema.js');
    return await compileSchema(schema, origin, leftMs);
  };
}

/** Refuses an invalid JSON schema, and makes no program of it; loaded only where there is one. Throws a ConfigError. */
export async function inspectSchemaOnDemand(schema: JsonSchema, origin: string): Promise<void> {
  const loaded = await import('../adapters/host/json-schema.js');
  await loaded.inspectSchema(schema, origin);
}
