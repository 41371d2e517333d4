// Writes the files of schema/ from the code; tests compare them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

const contents = `
  export { FINDINGS_SCHEMA } from './scripts/schema/findings-schema.ts';
  export { RECORD_SCHEMA } from './scripts/schema/record-schema.ts';
  export { agentJsonSchema } from './scripts/schema/json-schema.ts';
  export { AGENT_TOOLS } from './src/run/tools.ts';
`;

const { outputFiles } = buildSync({
  stdin: { contents, resolveDir: process.cwd() },
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Bundled packages require modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');",
  },
  write: false,
});
const code = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
const { FINDINGS_SCHEMA, RECORD_SCHEMA, agentJsonSchema, AGENT_TOOLS } = await import(code);

mkdirSync('schema', { recursive: true });
write('schema/findings.schema.json', FINDINGS_SCHEMA);
write('schema/run.schema.json', RECORD_SCHEMA);
write('schema/agent.schema.json', agentJsonSchema(AGENT_TOOLS));

function write(file, schema) {
  writeFileSync(file, JSON.stringify(schema));
  execFileSync('npx', ['biome', 'format', '--write', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
