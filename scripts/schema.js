// Writes schema/findings.schema.json from src/core/findings/findings-schema.ts; a test compares the two.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

const SOURCE = 'src/core/findings/findings-schema.ts';
const TARGET = 'schema/findings.schema.json';

const { outputFiles } = buildSync({ entryPoints: [SOURCE], bundle: true, format: 'esm', write: false });
const { FINDINGS_SCHEMA } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
mkdirSync('schema', { recursive: true });
writeFileSync(TARGET, JSON.stringify(FINDINGS_SCHEMA));
execFileSync('npx', ['biome', 'format', '--write', TARGET], { stdio: ['ignore', 'ignore', 'inherit'] });
