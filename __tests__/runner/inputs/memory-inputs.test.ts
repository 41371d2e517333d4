import { describe, expect, it } from '@jest/globals';
import { readInputs } from '../../../src/runner/inputs/inputs.js';
import type { MEMORY_INPUT_DEFAULTS, MemoryInputs } from '../../../src/runner/inputs/memory-inputs.js';

type Given = Partial<Record<keyof typeof MEMORY_INPUT_DEFAULTS, string>>;

const envOf = (given: Given): Record<string, string> => ({
  INPUT_AGENT: 'bot',
  ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
});

/** Inputs as a workflow writes them. */
const read = (given: Given = {}): MemoryInputs => readInputs(envOf(given)).memory;

/** Memory in another repository than the run's. */
const at = (owner: string, name: string) => ({ repository: { owner, name }, isElsewhere: true });

function thrownBy(given: Given): unknown {
  try {
    return read(given);
  } catch (thrown) {
    return thrown;
  }
}

describe('the inputs of memory', () => {
  it.each<[keyof Given, string, Partial<MemoryInputs>]>([
    ...(['branch', 'cache', 'file', 'none'] as const).map(
      (store): [keyof Given, string, Partial<MemoryInputs>] => ['memory-store', store, { store }],
    ),
    ['memory-repo', 'octocat/memory', at('octocat', 'memory')],
    ['memory-repo', 'mona-cat_octo/.github', at('mona-cat_octo', '.github')],
    ['memory-repo', 'octo/a.b_c-d', at('octo', 'a.b_c-d')],
    ['memory-readonly', 'true', { isReadOnly: true }],
    ['memory-readonly', 'TRUE', { isReadOnly: true }],
    ['memory-readonly', 'False', { isReadOnly: false }],
  ])('accept `%s: %s`', (name, value, expected) => {
    expect(read({ [name]: value })).toEqual({ ...read(), ...expected });
  });

  it('accept `memory-repo` together with `memory-store: branch`', () => {
    const inputs = read({ 'memory-store': 'branch', 'memory-repo': 'octocat/memory' });
    expect(inputs).toMatchObject(at('octocat', 'memory'));
  });

  it.each([
    ['', undefined],
    ['.', ''],
    ['./', ''],
    ['docs/memory', 'docs/memory'],
    ['./docs//memory/', 'docs/memory'],
    ['docs\\memory', 'docs/memory'],
    ['..memory', '..memory'],
    ['.github/memory', '.github/memory'],
    ['.axe/memory', '.axe/memory'],
  ])('resolve `memory-path: %j` to %j', (value, path) => {
    expect(read({ 'memory-path': value }).path).toBe(path);
  });

  it.each([
    'axe-memory',
    'main',
    'bots/memory',
    'release-1.0',
    '_memory',
    '#42',
    'mémoire',
    'user@host',
    'a@b{c',
    'a+b=c',
    'refs',
    'reflog/x',
    'HEAD/x',
    'a.locked',
    'x'.repeat(200),
    'f'.repeat(39),
  ])('accept the branch %s, as git does', (branch) => {
    expect(read({ 'memory-branch': branch }).branch).toBe(branch);
  });

  // The numbers are those of the rules in git-check-ref-format.
  it.each<[string, string]>([
    ['a folder that starts with a dot (1)', 'a/.b'],
    ['a dot at its beginning (1)', '.a'],
    ['`.lock` at its end (1)', 'a.lock'],
    ['a folder that ends in `.lock` (1)', 'a.lock/b'],
    ['two dots (3)', 'a..b'],
    ['a tab (4)', 'a\tb'],
    ['a line break (4)', 'a\nb'],
    ['a space (4)', 'a b'],
    ['a tilde (4)', 'a~1'],
    ['a caret (4)', 'a^'],
    ['a colon (4)', 'a:b'],
    ['a question mark (5)', 'a?'],
    ['an asterisk (5)', 'a*'],
    ['a bracket (5)', 'a[b'],
    ['a slash at its beginning (6)', '/a'],
    ['a slash at its end (6)', 'a/'],
    ['two slashes (6)', 'a//b'],
    ['a dot at its end (7)', 'a.'],
    ['`@{` (8)', 'a@{b'],
    ['nothing but `@` (9)', '@'],
    ['a backslash (10)', 'a\\b'],
    ['a hyphen at its beginning', '-a'],
    ['a character that cannot be seen', 'a\u200bb'],
    ['a whole ref in it', 'refs/heads/main'],
    ['the name of the head', 'HEAD'],
    ['the form of a commit', '0123456789abcdef'.repeat(3).slice(0, 40)],
    ['201 characters', 'a'.repeat(201)],
  ])('refuse a branch with %s', (_, branch) => {
    expect(thrownBy({ 'memory-branch': branch })).toMatchObject({
      name: 'ConfigError',
      message: `the input \`memory-branch\` is not a branch name: ${JSON.stringify(branch)}`,
      remedy: 'Write the short name, for example `axe-memory`.',
    });
  });

  const words = (...list: string[]) => `Give one of ${list.map((word) => `\`${word}\``).join(', ')}.`;
  it.each<[Given, string, string]>([
    ...['redis', 'Cache', 'repo'].map((store): [Given, string, string] => [
      { 'memory-store': store },
      `the input \`memory-store\` cannot be "${store}"`,
      words('branch', 'cache', 'file', 'none'),
    ]),
    ...['yes', '1', 'on', 'tRUE', '"true"'].map((word): [Given, string, string] => [
      { 'memory-readonly': word },
      `the input \`memory-readonly\` must be true or false, not ${JSON.stringify(word)}`,
      'Write `memory-readonly: true` or leave it out.',
    ]),
    ...['cache', 'file', 'none'].map((store): [Given, string, string] => [
      { 'memory-repo': 'octocat/memory', 'memory-store': store },
      `\`memory-repo\` cannot be used with \`memory-store: ${store}\``,
      'Leave `memory-store` out, or write `memory-store: branch`.',
    ]),
    ...[
      'memory',
      'octocat/',
      '/memory',
      'octocat/memory/x',
      'octocat/..',
      'octocat/.',
      '-a/b',
      'octo cat/b',
      'octocat/b c',
      'https://github.com/octocat/memory',
      'octocat/memory@main',
    ].map((repository): [Given, string, string] => [
      { 'memory-repo': repository },
      `the input \`memory-repo\` must be \`owner/name\`, not ${JSON.stringify(repository)}`,
      'Write, for example, `octocat/memory`.',
    ]),
    ...[
      '/tmp/memory',
      '\\memory',
      'C:\\memory',
      'c:memory',
      '../memory',
      'a/../../b',
      'a/..',
      '.git/memory',
      'a\\.git',
      '.GIT/x',
      'a\nb',
    ].map((path): [Given, string, string] => [
      { 'memory-path': path },
      `the input \`memory-path\` must be a folder inside the repository, not ${JSON.stringify(path)}`,
      'Write it relative to the repository, for example `.axe/memory`.',
    ]),
  ])('C1 15: refuse %j', (given, message, remedy) => {
    expect(thrownBy(given)).toMatchObject({ name: 'ConfigError', message, remedy, exitCode: 2 });
  });
});
