import type { World } from '../axe/ports.js';

/** Checks by JSON schema; the compiler is loaded only for a run that has a schema (D34). */
export function createSchemaCompiler(): World['compileSchema'] {
  return async (schema, origin) => {
    const { compileSchema } = await import('../host/json-schema.js');
    return await compileSchema(schema, origin);
  };
}
