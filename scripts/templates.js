// Writes src/commands/init/example-texts.ts from examples/, so that `init` writes what the examples show; a test compares them.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const TARGET = 'src/commands/init/example-texts.ts';
const FILES = [
  'workflows/review.yml',
  'workflows/public.yml',
  'workflows/mention.yml',
  'workflows/triage.yml',
  'workflows/nightly.yml',
  'agents/reporter.toml',
];

const entries = FILES.map((file) => {
  const text = readFileSync(`examples/${file}`, 'utf8');
  return `  '${file}': \`${text.replace(/[\\`]|\$\{/g, '\\$&')}\`,`;
});
const code = `/** The files of \`examples/\` that \`init\` starts from; \`node scripts/templates.js\` writes them here. */
export const EXAMPLE_TEXTS = {
${entries.join('\n')}
} as const;
`;
writeFileSync(TARGET, code);
execFileSync('npx', ['biome', 'format', '--write', TARGET], { stdio: ['ignore', 'ignore', 'inherit'] });
