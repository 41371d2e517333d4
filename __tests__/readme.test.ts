import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseAgent } from '../src/agent/inspect.js';
import { readDocument, snippetsOf } from './helpers/documents.js';

const README = readDocument('README.md');
const SNIPPETS = snippetsOf(['README.md']);

function snippet(language: string): string {
  return SNIPPETS.find((one) => one.language === language)?.code ?? '';
}

it('the README has fewer than 150 lines', () => {
  expect(README.split('\n').length - 1).toBeLessThan(150);
});

it('there is one first workflow: README, getting started and examples have the same bytes', () => {
  const first = readDocument('examples/workflows/review.yml');
  expect(snippet('yaml')).toBe(first);
  const [started] = snippetsOf(['docs/getting-started.md']);
  expect(started?.code).toBe(first);
});

it('the README has an agent of 12 lines without problems', () => {
  const toml = snippet('toml');
  expect(toml.trim().split('\n').length).toBeLessThanOrEqual(12);
  expect(README).toContain('`axe/agents/billing.toml`');
  expect(parseAgent(toml, { name: 'billing', file: 'billing.toml' }).warnings).toEqual([]);
});

it.each([
  ['review forks', /review pull requests from forks/, 'docs/forks-and-bots.md', '## Review forks'],
  ['use Bedrock', /use Bedrock/, 'docs/models.md', '### Use Bedrock'],
  [
    'see what it remembers',
    /see what it remembers/,
    'docs/memory.md',
    '## See it, correct it, remove it',
  ],
  ['delete it', /what it remembers.*delete it/, 'docs/memory.md', '| remove everything |'],
  ['stop it on one pull request', /stop it on one pull request/, 'docs/events.md', '`/axe pause`'],
  [
    'run it on GHES',
    /run it on GHES/,
    'docs/enterprise.md',
    '## Run it on GitHub Enterprise Server',
  ],
])('the README says in words how to %s, and leads there in one click', (_, words, page, text) => {
  const rows = README.split('\n').filter((line) => line.startsWith('| ') && words.test(line));
  expect(rows.map((row) => row.includes(`](${page})`))).toEqual([true]);
  expect(readDocument(page)).toContain(text);
});

it('the README names the two commands of developers, which package.json has', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  );
  expect(README).toMatch(/^npm run demo\b/m);
  expect(README).toMatch(/^npm ci && npm test\b/m);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['demo', 'test']));
});
