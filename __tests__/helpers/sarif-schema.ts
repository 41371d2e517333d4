import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

/**
 * What the official schema of SARIF 2.1.0 finds wrong with a log; empty for nothing. The schema is
 * draft 4, of which it uses nothing that draft 7 reads in another way but its `id` and old
 * patterns.
 */
export function sarifFaults(log: unknown): readonly unknown[] {
  isSarif(log);
  return isSarif.errors ?? [];
}

const isSarif = compileOfficialSchema();

function compileOfficialSchema(): ReturnType<Ajv['compile']> {
  const { resolve } = createRequire(import.meta.url);
  const path = resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
  const options = { strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false };
  return new Ajv(options).compile(schema);
}
