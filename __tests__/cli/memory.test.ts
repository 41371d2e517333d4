import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { projectSlug } from '../../src/memory/paths.js';
import { formatEntry, formatProvenance } from '../../src/memory/run-log.js';
import { parseLog } from '../../src/memory/units.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

/** What the real axe wrote, as it is kept in the golden transcripts. */
const AXE = '## 2026-02-22T10:00:00Z\n**Task:** 检查 #42\n**Result:** 一切正常\n\n';

function entry(minute: number, id: string, result = `result ${minute}`): string {
  const timestamp = new Date(Date.UTC(2026, 1, 23, 4, minute));
  return formatEntry({
    timestamp,
    task: `task ${minute}`,
    result,
    provenance: formatProvenance({ id }),
  });
}

const A = entry(1, 'aaaaaa-1');
const B = entry(2, 'bbbbbb-1');

let home: string;
let folder: string;

beforeEach(() => {
  home = tempDir('home');
  folder = join(home, '.local/share/axe/memory');
});

async function memory(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = createFakeTerminal({ env: { HOME: home, ...env }, cwd: home });
  const exitCode = await main(['memory', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

function read(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function store(files: Readonly<Record<string, string | Uint8Array>>): void {
  writeFiles(folder, files);
}

describe('memory show', () => {
  it("lists axe's own file and ours, the newest first", async () => {
    store({ 'bot.md': AXE + A });
    const { exitCode, output, talk } = await memory(['show', 'bot']);
    expect({ exitCode, talk }).toEqual({ exitCode: 0, talk: '' });
    expect(output).toBe(
      [
        `2 entries (${Buffer.byteLength(AXE + A)} bytes) of \`bot.md\` in ${folder}, newest first:`,
        '',
        '- `aaaaaa-1` 2026-02-23T04:01:00Z, line 5',
        '  Task: task 1',
        '  Result: result 1',
        `- \`${parseLog(AXE).units[0]?.id}\` 2026-02-22T10:00:00Z, line 1`,
        '  Task: 检查 #42',
        '  Result: 一切正常',
        '',
      ].join('\n'),
    );
  });

  it('reports that a missing file has no entries and where else to look, and creates none', async () => {
    writeFiles(home, { 'axe/agents/bot.toml': 'name = "bot"\nmodel = "ollama/m"\n' });
    expect(await memory(['show', 'bot'])).toEqual({
      exitCode: 0,
      output: `No entries in \`bot.md\` in ${folder}.\nThis is the memory of this machine. For a workflow's memory add \`--repo <owner/name>\`, or \`--dir .axe/memory\` in a checkout. Runs of \`offline/rules\` keep theirs in its folder \`offline\`, which \`--dir\` can name.\n`,
      talk: '',
    });
    expect(existsSync(folder)).toBe(false);
  });

  it.each(['show', 'search'])(
    'names the agents if there is none of that name and no memory of it: %s',
    async (word) => {
      writeFiles(home, { 'axe/agents/reviewer.toml': 'name = "reviewer"\nmodel = "ollama/m"\n' });
      const talk = expect.stringMatching(
        /^agent config not found: reviwer\n {2}Did you mean `reviewer`\? There are: `reviewer`, [\s\S]*--repo <owner\/name>/,
      );
      expect(await memory([word, 'reviwer', 'x'])).toEqual({ exitCode: 2, output: '', talk });
      expect(await memory(['show', 'pr-reviewer'])).toMatchObject({ exitCode: 0, talk: '' });
      store({ 'reviwer.md': A });
      expect(await memory([word, 'reviwer', 'aaaaaa-1'])).toMatchObject({ exitCode: 0, talk: '' });
    },
  );

  it('lists what a review of a file would load, and of an agent with `last_n` the newest', async () => {
    const about = (number: number) =>
      formatEntry({
        timestamp: new Date(Date.UTC(2026, 0, 1, 0, number)),
        task: `t${number}`,
        result: 'x'.repeat(900),
        provenance: formatProvenance({
          id: `e${number}-0000`,
          files: [number === 2 ? 'src/auth.ts' : 'other.ts'],
        }),
      });
    store({ 'pr-reviewer.md': Array.from({ length: 30 }, (_, at) => about(at + 1)).join('') });
    const { output } = await memory(['show', 'pr-reviewer', '--for', 'src/auth.ts']);
    expect(output).toMatch(
      /^A run about `src\/auth\.ts` loads 10 of 30 entries of `pr-reviewer\.md` in .*, 1 of them about `src\/auth\.ts`:\n/,
    );
    expect(output.match(/Task: t\d+/g)?.map((task) => task.slice(7))).toEqual(
      [30, 29, 28, 27, 26, 25, 24, 23, 22, 2].map(String),
    );
    for (const path of ['./src/auth.ts', join(home, 'src/auth.ts')])
      expect((await memory(['show', 'pr-reviewer', '--for', path])).output).toBe(output);
    const none = await memory(['show', 'pr-reviewer', '--for', 'src/none.ts']);
    expect(none.output).toMatch(
      /loads 10 of 30 entries of .*, the newest, since none is about it:\n/,
    );
    const agent = 'name = "bot"\nmodel = "ollama/m"\n[memory]\nenabled = true\nlast_n = 1\n';
    writeFiles(home, { 'axe/agents/bot.toml': agent });
    store({ 'bot.md': about(1) + about(2) });
    const counted = await memory(['show', 'bot', '--for', 'src/auth.ts']);
    expect(counted.output).toContain('The agent has `last_n = 1`');
    expect(counted.output.match(/Task: t\d+/g)).toEqual(['Task: t2']);
    const limits = 'last_n = 0\nmax_log_bytes = 1500\n';
    writeFiles(home, { 'axe/agents/bot.toml': agent.replace('last_n = 1\n', limits) });
    const limited = await memory(['show', 'bot', '--for', 'src/auth.ts']);
    expect(limited.output.match(/Task: t\d+/g)).toEqual(['Task: t2']);
  });

  it.each([
    ['on this machine', '', (): string => projectSlug(home)],
    ['in the folder of a checkout', 'repo/.axe/memory', () => projectSlug('octocat/hello')],
  ])('shows the notes of the project that a run is given, %s', async (_, dir, slugOf) => {
    const agent = 'name = "bot"\nmodel = "ollama/m"\n[memory]\nenabled = true\nnotes = true\n';
    const origin = '[remote "origin"]\n\turl = https://github.com/octocat/hello.git\n';
    writeFiles(home, { 'axe/agents/bot.toml': agent, 'repo/.git/config': origin });
    writeFiles(dir === '' ? folder : join(home, dir), {
      'bot.md': A,
      'MEMORY.md': 'We use tabs.\n',
      [`projects/${slugOf()}/SCRATCHPAD.md`]: '- [ ] Look again\n',
      'projects/other-00000000/SCRATCHPAD.md': '- [ ] Elsewhere\n',
    });
    const place = dir === '' ? [] : ['--dir', dir];
    const { output, talk } = await memory(['show', 'bot', '--for', 'src/a.ts', ...place]);
    expect(talk).toBe('');
    expect(output).toMatch(/We use tabs\.\n[\s\S]*- \[ \] Look again\n<\/memory>\n$/);
    expect(output).not.toContain('Elsewhere');
  });

  it('prints the entries as JSON', async () => {
    store({ 'bot.md': AXE, 'apart/bot.md': A });
    const { output } = await memory(['show', 'bot', '--json']);
    const words = { time: '2026-02-22T10:00:00Z', task: '检查 #42', result: '一切正常' };
    expect(JSON.parse(output)).toEqual([
      expect.objectContaining({ ...words, apart: false, line: 1, actor: null }),
    ]);
    const apart = await memory(['show', 'bot', '--json', '--apart', '--last', '1']);
    expect(JSON.parse(apart.output)).toMatchObject([{ id: 'aaaaaa-1', apart: true }]);
  });

  it('shows the newest of a long file, whose end alone is read', async () => {
    const old = entry(1, 'aaaaaa-0').repeat(2_000);
    const log = old + entry(2, 'bbbbbb-1') + entry(3, 'cccccc-1');
    store({ 'bot.md': log, 'apart/bot.md': A, 'MEMORY.md': '- a fact' });
    const { output } = await memory(['show', 'bot', '--last', '2']);
    const bytes = Buffer.byteLength(log).toLocaleString('en-US');
    expect(output).toContain(
      `The newest 2 entries (of ${bytes} bytes) of \`bot.md\` in ${folder}, newest first:`,
    );
    expect(output).toMatch(/`cccccc-1` \S+\n[\s\S]*`bbbbbb-1` \S+\n/);
    expect(output).not.toContain('aaaaaa-0');
    expect(output).toContain('Entries are kept apart too (`--apart`).');
    expect(output).toContain('`MEMORY.md`, 8 bytes');
    const json = await memory(['show', 'bot', '--last', '1', '--json']);
    expect(JSON.parse(json.output)).toMatchObject([{ id: 'cccccc-1', line: null }]);
  });

  it('prints no control characters for a terminal, and no secret', async () => {
    const secret = 'sk-live-q7Zk2Pv9Xw4Lm8Rt';
    store({ 'bot.md': entry(1, 'aaaaaa-1', `\u001B[2J\u001B]0;x\u0007 ${secret}`) });
    const { output } = await memory(['show', 'bot', 'aaaaaa'], { OPENAI_API_KEY: secret });
    expect(output).toContain('***');
    expect(output).not.toMatch(/[^\n\P{Cc}]|sk-live/u);
  });

  it('reports why a file cannot be read, exit status 1', async () => {
    store({ 'bot.md/inside.md': '' });
    expect(await memory(['show', 'bot'])).toEqual({
      exitCode: 1,
      output: '',
      talk: `the memory could not be read: read ${join(folder, 'bot.md')}: is a directory\n`,
    });
  });

  it('reads the file that the agent names, wherever and whatever it is called', async () => {
    writeFiles(home, {
      'axe/agents/bot.toml':
        'name = "bot"\nmodel = "ollama/llama3"\n[memory]\nenabled = true\npath = "notes/mem.txt"\n',
      'notes/mem.txt': AXE,
      'notes/apart/mem.txt': A,
    });
    const id = parseLog(AXE).units[0]?.id ?? '';
    expect(await memory(['show', 'bot'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/检查[\s\S]*1 entry is kept apart/),
    });
    expect(await memory(['forget', 'bot', id, '--purge'])).toMatchObject({ exitCode: 0 });
    expect(readdirSync(join(home, 'notes')).sort()).toEqual(['apart', 'mem.txt']);
    expect(readFileSync(join(home, 'notes/mem.txt'), 'utf8')).toBe('');
  });
});

it('memory show on this machine reports files in place of notes that were left out, and no others', async () => {
  store({ 'bot.md': A, 'other.txt': 'x' });
  symlinkSync('/etc/hosts', join(folder, 'MEMORY.md'));
  symlinkSync('/etc/hosts', join(folder, 'other.md'));
  const { exitCode, talk } = await memory(['show', 'bot']);
  expect(exitCode).toBe(0);
  expect(talk).toContain('left out: "MEMORY.md".');
});

it('memory forget removes exactly the bytes of the entry, in a file with Windows line ends and invalid UTF-8', async () => {
  const mine = Buffer.from(`# Mine\r\n\r\n${AXE.replaceAll('\n', '\r\n')}`);
  const before = Buffer.concat([mine, Buffer.from([0xff, 0x0a])]);
  store({ 'bot.md': Buffer.concat([before, Buffer.from(A.replaceAll('\n', '\r\n') + B)]) });
  expect(await memory(['forget', 'bot', 'aaaaaa'])).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(
      /^Forgot `aaaaaa-1` in [^\n]*\.\n\nThe previous version next to it \(`\.bak`\) still has it[^\n]*\n\n- `aaaaaa-1` [^\n]*\n$/,
    ),
  });
  expect(readFileSync(join(folder, 'bot.md')).equals(Buffer.concat([before, Buffer.from(B)]))).toBe(
    true,
  );
  expect(read('bot.md.bak')).toContain('aaaaaa-1');
});

it('memory forget removes with --purge what the rewrite left', async () => {
  store({ 'bot.md': A + B, 'apart/bot.md': A });
  await memory(['forget', 'bot', 'bbbbbb']);
  expect(await memory(['forget', 'bot', 'aaaaaa', '--purge'])).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('The `.bak` files were removed.'),
  });
  const left = readdirSync(folder, { recursive: true }).map(String).sort();
  expect(left).toEqual(['apart', 'apart/bot.md', 'bot.md']);
});

it('the place of memory can be a folder of a checkout, whose entries have provenance', async () => {
  writeFiles(home, {
    'checkout/.axe/memory/bot.md': A,
    'axe/agents/bot.toml':
      'name = "bot"\nmodel = "ollama/llama3"\n[memory]\npath = "deep/bot.md"\n',
    'axe/agents/other.toml': 'name = "other"\nmodel = "ollama/llama3"\n',
  });
  const dir = ['--dir', 'checkout/.axe/memory'];
  expect(await memory(['show', 'other', ...dir])).toMatchObject({
    output: expect.stringMatching(/^No entries in `other\.md` in [^\n]*\n$/),
  });
  await memory(['remember', 'bot', 'in a folder', ...dir], { GITHUB_ACTOR: 'octocat' });
  expect(readFileSync(join(home, 'checkout/.axe/memory/deep/bot.md'), 'utf8')).toMatch(
    /Remembered by octocat\n<!-- axe-action v=1 id=\S+ run=- sha=- actor=octocat model=- on=- files=- -->\n\*\*Result:\*\* in a folder\n\n$/,
  );
  expect(existsSync(folder)).toBe(false);
});

it('a rewrite in a checkout keeps its copy out of commits, with a file below the top of the checkout', async () => {
  writeFiles(home, {
    'checkout/.git/HEAD': 'ref: refs/heads/main\n',
    'checkout/bot.md': A + B,
    'checkout/.axe/memory/bot.md': A + B,
  });
  await memory(['forget', 'bot', 'aaaaaa', '--dir', 'checkout/.axe/memory']);
  const ignored = readFileSync(join(home, 'checkout/.axe/memory/.gitignore'), 'utf8');
  expect(ignored).toMatch(/^\*\.bak$/m);
  await memory(['forget', 'bot', 'aaaaaa', '--dir', 'checkout']);
  expect(existsSync(join(home, 'checkout/bot.md.bak'))).toBe(true);
  expect(existsSync(join(home, 'checkout/.gitignore'))).toBe(false);
});

it('the place of memory needs no home folder', async () => {
  writeFiles(home, { 'mem/packages/api/bot.md': A });
  const words = ['forget', 'bot', 'aaaaaa', '--purge', '--dir', 'mem/packages/api'];
  const { exitCode, output } = await memory(words, { HOME: '' });
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('removed') });
  expect(readdirSync(join(home, 'mem/packages/api')).sort()).toEqual(['bot.md']);
});

it.each([
  [['show', 'bot', '--dir', 'a', '--repo', 'b/c'], /^`--dir` and `--repo` cannot be used together/],
  [['show', 'bot', '--branch', 'main'], /^`--branch` has no effect without `--repo`/],
  [['show', 'bot', '--repo', 'nonsense'], /^`--repo` is "nonsense"/],
  [['show', 'bot', '--repo', 'octocat/hello'], /^there is no token[^\n]*\n.*`GITHUB_TOKEN`/],
  [['show', 'bot', '--dir', 'nowhere'], /^no such folder: .*nowhere\n/],
  [['show', '../../etc/..'], /^(?:invalid|agent)/],
  [
    ['show'],
    /^`memory show` takes the name of one agent, and none was given\n {2}Usage: `axe-action memory show <agent> \[id\]`\.\n$/,
  ],
  [
    ['forget', 'bot'],
    /^`forget` needs `<id>`\n {2}Usage: `axe-action memory forget <agent> <id>`\.\n$/,
  ],
  [
    ['search', 'bot'],
    /^`search` needs `<words>`\n {2}Usage: `axe-action memory search <agent> <words>`\.\n$/,
  ],
  [['show', 'bot', '--last=-1'], /^invalid argument "-1" for "--last" flag: it is less than 0\n/],
  [
    ['forget', 'bot', 'x', '--json'],
    /^unknown flag: --json\n {2}`axe-action memory forget --help` lists the flags\.\n$/,
  ],
  [['show', 'bot', '--apart=side'], /^invalid argument "side" for "--apart" flag/],
  [
    ['remember', 'bot'],
    /^`remember` needs `<text>`\n {2}Usage: `axe-action memory remember <agent> <text>`/,
  ],
])('the place of memory is refused: %j', async (words, talk) => {
  const result = await memory(words);
  expect(result.output).toBe('');
  expect(result.exitCode).toBeGreaterThan(0);
  expect(result.talk).toMatch(talk);
});
