import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { bareProvenance } from '../../src/core/memory/commands/compose.js';
import { formatProvenance } from '../../src/core/memory/provenance.js';
import { formatEntry } from '../../src/core/memory/run-log.js';
import { parseLog } from '../../src/core/memory/units.js';
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
    provenance: formatProvenance(bareProvenance(id)),
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

async function memory(
  words: readonly string[],
  {
    env = {},
    stdin,
    cwd = home,
    isTTY = false,
  }: {
    readonly isTTY?: boolean;
    readonly env?: Readonly<Record<string, string>>;
    readonly stdin?: Uint8Array;
    readonly cwd?: string;
  } = {},
) {
  const terminal = createFakeTerminal({ env: { HOME: home, ...env }, cwd, isTTY });
  const typed = stdin === undefined ? terminal.stdin : Object.assign(Readable.from([stdin]), { fd: 0 });
  const exitCode = await main(['memory', ...words], { ...terminal, stdin: typed });
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

function read(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function store(files: Readonly<Record<string, string | Uint8Array>>): void {
  writeFiles(folder, files);
}

describe('memory show', () => {
  it('ends quietly for a reader that has seen enough', async () => {
    store({ 'bot.md': AXE + A });
    const terminal = createFakeTerminal({ env: { HOME: home }, cwd: home });
    const stdout = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    // As the program does for its own streams.
    stdout.on('error', () => undefined);
    expect(await main(['memory', 'show', 'bot'], { ...terminal, stdout })).toBe(0);
    expect(terminal.talk()).toBe('');
  });

  it("lists axe's own file and ours, the newest first", async () => {
    store({ 'bot.md': AXE + A });
    const { exitCode, output, talk } = await memory(['show', 'bot']);
    expect({ exitCode, talk }).toEqual({ exitCode: 0, talk: '' });
    expect(output).toBe(
      [
        `2 entries of \`bot.md\` in ${folder}, newest first:`,
        '',
        '- `aaaaaa-1` 2026-02-23T04:01:00Z trusted, line 5',
        '  Task: task 1',
        '  Result: result 1',
        `- \`${parseLog(AXE).units[0]?.id}\` 2026-02-22T10:00:00Z trusted, line 1`,
        '  Task: 检查 #42',
        '  Result: 一切正常',
        '',
      ].join('\n'),
    );
  });

  it('is formatted in a terminal, and with --raw as in a pipe', async () => {
    store({ 'bot.md': A });
    const shown = await memory(['show', 'bot'], { isTTY: true });
    expect(shown.output).toMatch(
      /^1 entry of .*, newest first:\n\n\d+ \w+ ago · aaaaaa-1\n {10}2026-02-23T04:01:00Z\n {2}Task {4}task 1\n {2}Result {2}result 1\n$/,
    );
    const raw = await memory(['show', 'bot', '--raw'], { isTTY: true });
    expect(raw).toEqual(await memory(['show', 'bot']));
    const found = await memory(['search', 'bot', 'result'], { isTTY: true });
    expect(found.output).toMatch(/· aaaaaa-1\n/);
    const json = await memory(['show', 'bot', '--json'], { isTTY: true });
    expect(JSON.parse(json.output)).toHaveLength(1);
  });

  it('reports that a missing file has no entries and where else to look, and creates none', async () => {
    writeFiles(home, { 'axe/agents/bot.toml': 'name = "bot"\nmodel = "ollama/m"\n' });
    expect(await memory(['show', 'bot'])).toEqual({
      exitCode: 0,
      output: `No entries in \`bot.md\` in ${folder}.\nThis is the memory of this machine. For that of a workflow add \`--repo <owner/name>\`, or \`--dir .axe/memory\` in a checkout.\n`,
      talk: '',
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('prints the entries as JSON', async () => {
    store({ 'bot.md': AXE, 'untrusted/bot.md': A });
    const { output } = await memory(['show', 'bot', '--json']);
    expect(JSON.parse(output)).toEqual([
      expect.objectContaining({
        time: '2026-02-22T10:00:00Z',
        task: '检查 #42',
        result: '一切正常',
        lane: 'trusted',
        line: 1,
        actor: null,
      }),
    ]);
    const untrusted = await memory(['show', 'bot', '--json', '--lane', 'untrusted', '--last', '1']);
    expect(JSON.parse(untrusted.output)).toMatchObject([{ id: 'aaaaaa-1', lane: 'untrusted' }]);
  });

  it('prints no control characters for a terminal, and no secret', async () => {
    const secret = 'sk-live-0123456789abcdef';
    store({ 'bot.md': entry(1, 'aaaaaa-1', `\u001B[2J\u001B]0;x\u0007 ${secret}`) });
    const { output } = await memory(['show', 'bot', 'aaaaaa'], { env: { OPENAI_API_KEY: secret } });
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

  it('works even if other agents’ files cannot be read', async () => {
    store({ 'bot.md': AXE, 'other.md': AXE });
    chmodSync(join(folder, 'other.md'), 0o000);
    expect(await memory(['show', 'bot'])).toMatchObject({ exitCode: 0 });
  });

  it('reads the file that the agent names, wherever and whatever it is called', async () => {
    writeFiles(home, {
      'axe/agents/bot.toml':
        'name = "bot"\nmodel = "ollama/llama3"\n[memory]\nenabled = true\npath = "notes/mem.txt"\n',
      'notes/mem.txt': AXE,
      'notes/untrusted/mem.txt': A,
    });
    const id = parseLog(AXE).units[0]?.id ?? '';
    expect(await memory(['show', 'bot'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/检查[\s\S]*The untrusted lane has 1 entry/),
    });
    expect(await memory(['forget', 'bot', id, '--purge'])).toMatchObject({ exitCode: 0 });
    expect(readdirSync(join(home, 'notes')).sort()).toEqual(['mem.txt', 'mem.txt.state.md', 'untrusted']);
    expect(readFileSync(join(home, 'notes/mem.txt'), 'utf8')).toBe('');
    expect(readFileSync(join(home, 'notes/mem.txt.state.md'), 'utf8')).toContain(`- forgotten ${id} at=`);
  });

  it("follows a link of the user's", async () => {
    writeFiles(home, { 'dotfiles/bot.md': AXE });
    store({ 'x.md': '' });
    symlinkSync(join(home, 'dotfiles/bot.md'), join(folder, 'bot.md'));
    expect(await memory(['show', 'bot'])).toMatchObject({ output: expect.stringContaining('检查') });
  });
});

describe('memory show and verify on this machine', () => {
  it('report files in place of notes that were left out, and no others', async () => {
    store({ 'bot.md': A, 'other.txt': 'x' });
    symlinkSync('/etc/hosts', join(folder, 'MEMORY.md'));
    symlinkSync('/etc', join(folder, 'projects'));
    symlinkSync('/etc/hosts', join(folder, 'other.md'));
    for (const name of ['show', 'verify']) {
      const { exitCode, talk } = await memory([name, 'bot']);
      expect(exitCode).toBe(0);
      expect(talk).toContain('left out: "MEMORY.md", "projects".');
    }
  });

  it('report notes that cannot be read', async () => {
    writeFiles(home, { '.config/axe/agents/bot.toml': BOT_WITH_DIR });
    store({ 'bot.md': A });
    writeFiles(home, { here: 'a file in the place of the folder' });
    const { output, talk } = await memory(['show', 'bot']);
    expect(output).toContain('1 entry of `bot.md`');
    expect(talk).toMatch(/The notes could not be read and are missing here: .*here/);
  });

  it('show notes however large the run logs of other agents are', async () => {
    store({
      'a.md': 'x'.repeat(9 * 1024 * 1024),
      'bot.md': A,
      'projects/p-12345678/SCRATCHPAD.md': 'task\n',
    });
    const { output, talk } = await memory(['show', 'bot']);
    expect(output).toContain('`projects/p-12345678/SCRATCHPAD.md`');
    expect(talk).toBe('');
  });

  it('show with `--dir` where the entries of the offline rules are', async () => {
    store({ 'offline/bot.md': A });
    const { output } = await memory(['show', 'bot']);
    expect(output).toContain(`1 entry in \`offline/bot.md\` (\`--dir ${folder}/offline\`)`);
    expect((await memory(['show', 'bot', '--dir', `${folder}/offline`])).output).toContain('task 1');
  });

  it('include the problems of notes in JSON and in the exit status', async () => {
    store({ 'bot.md': A, 'MEMORY.md': '<<<<<<< HEAD\n' });
    const { exitCode, output } = await memory(['verify', 'bot', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toContainEqual(
      expect.objectContaining({ code: 'conflict-marker', path: 'MEMORY.md', line: 1 }),
    );
  });
});

const BOT_WITH_DIR = `name = "bot"
model = "anthropic/m"
[memory]
enabled = true
notes = true
dir = "here"
`;

describe('memory search and verify', () => {
  it('find the entries that hold a word', async () => {
    store({ 'bot.md': AXE + A });
    expect(await memory(['search', 'bot', '正常', '42'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^1 of 2 entries .* contains "正常" and "42":\n\n- `t-/),
    });
  });

  it('have exit status 0 for a valid memory and 1 for one with problems', async () => {
    store({ 'bot.md': AXE + A });
    expect(await memory(['verify', 'bot'])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('No problems'),
    });
    store({ 'bot.md': AXE + A + A });
    const { exitCode, output } = await memory(['verify', 'bot', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toContainEqual(
      expect.objectContaining({ code: 'duplicate-id', severity: 'problem', lane: 'trusted', line: 10 }),
    );
  });
});

describe('memory forget', () => {
  it('removes exactly the bytes of the entry, in a file with Windows line ends and invalid UTF-8', async () => {
    const before = Buffer.concat([
      Buffer.from(`# Mine\r\n\r\n${AXE.replaceAll('\n', '\r\n')}`),
      Buffer.from([0xff, 0x0a]),
    ]);
    store({ 'bot.md': Buffer.concat([before, Buffer.from(A.replaceAll('\n', '\r\n') + B)]) });
    expect(await memory(['forget', 'bot', 'aaaaaa'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^Forgotten in [\s\S]*`\.bak` at the end of its name/),
    });
    expect(readFileSync(join(folder, 'bot.md')).equals(Buffer.concat([before, Buffer.from(B)]))).toBe(true);
    expect(read('bot.state.md')).toMatch(/^- forgotten aaaaaa-1 at=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
    expect(existsSync(join(folder, 'bot.md.bak'))).toBe(true);
  });

  it('removes with --purge what the rewrite left', async () => {
    store({ 'bot.md': A + B, 'untrusted/bot.md': A });
    await memory(['forget', 'bot', 'bbbbbb']);
    expect(await memory(['forget', 'bot', 'aaaaaa', '--purge'])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('The `.bak` files were removed.'),
    });
    expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual([
      'bot.md',
      'bot.state.md',
      'untrusted',
      'untrusted/bot.md',
      'untrusted/bot.state.md',
    ]);
  });

  it('has exit status 1 for an unknown id, and lists those with the same beginning', async () => {
    store({ 'bot.md': A + entry(3, 'aaaaaa-2') });
    expect(await memory(['forget', 'bot', 'zzzzzz'])).toEqual({
      exitCode: 1,
      output: '',
      talk: `no entry with id \`zzzzzz\` in ${folder}\n  Give the id as \`show\` or \`search\` prints it, or its first six characters or more.\n`,
    });
    expect(await memory(['forget', 'bot', 'aaaaaa'])).toMatchObject({
      exitCode: 1,
      talk: expect.stringMatching(/the beginning of 2 ids:\n- `aaaaaa-1`[\s\S]*- `aaaaaa-2`/),
    });
  });
});

describe('memory edit, remember and promote', () => {
  const EDITOR = { EDITOR: `sed -i s/正常/已改/` };

  it('change an entry in the editor and keep its form', async () => {
    store({ 'bot.md': AXE + B });
    const id = parseLog(AXE).units[0]?.id ?? '';
    expect(await memory(['edit', 'bot', id], { env: EDITOR })).toMatchObject({ exitCode: 0 });
    expect(read('bot.md')).toBe(AXE.replace('正常', '已改') + B);
  });

  it('prefer the editor that VISUAL names', async () => {
    store({ 'bot.md': AXE });
    const id = parseLog(AXE).units[0]?.id ?? '';
    const env = { VISUAL: EDITOR.EDITOR, EDITOR: 'false' };
    expect(await memory(['edit', 'bot', id], { env })).toMatchObject({ exitCode: 0 });
    expect(read('bot.md')).toBe(AXE.replace('正常', '已改'));
  });

  it('change a note by its path, and show it', async () => {
    store({ 'bot.md': A, 'MEMORY.md': 'use tabs\n' });
    const env = { EDITOR: 'sed -i s/tabs/spaces/' };
    expect(await memory(['edit', 'bot', 'MEMORY.md'], { env })).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^`MEMORY\.md` was changed in .*; it has 11 bytes now\.\n$/),
    });
    expect(read('MEMORY.md')).toBe('use spaces\n');
    expect((await memory(['notes', 'bot', 'MEMORY.md'])).output).toContain('use spaces\n');
    expect((await memory(['notes', 'bot'])).output).toContain('- `MEMORY.md`, 11 bytes\n');
  });

  it('change the result without an editor', async () => {
    store({ 'bot.md': AXE + B });
    await memory(['edit', 'bot', 'bbbbbb-1', '--text', 'new words']);
    expect(read('bot.md')).toMatch(
      /\*\*Task:\*\* task 2\n\*\*Result:\*\* new words\n<!-- axe-action v=1 id=(?!bbbbbb)/,
    );
  });

  it('report what is missing without an editor', async () => {
    store({ 'bot.md': A });
    const talk = '$EDITOR environment variable is not set\n  Set it, or give `--text`.\n';
    expect(await memory(['edit', 'bot', 'aaaaaa-1'])).toEqual({ exitCode: 1, output: '', talk });
    expect(await memory(['remember', 'bot'])).toEqual({ exitCode: 1, output: '', talk });
  });

  it.each([[['remember', 'bot', 'use', 'pnpm']], [['remember', 'bot', '--text', 'use pnpm']]])(
    "add an entry in axe's form: %j",
    async (words) => {
      store({ 'bot.md': AXE });
      expect(await memory(words)).toMatchObject({ exitCode: 0 });
      expect(read('bot.md').replace(/^## 20.*$/gm, '##')).toBe(
        `${AXE.replace(/^## 20.*$/m, '##')}##\n**Task:** Remembered by hand\n**Result:** use pnpm\n\n`,
      );
    },
  );

  it('promote an entry', async () => {
    store({ 'untrusted/bot.md': A });
    expect(await memory(['promote', 'bot', 'aaaaaa'])).toMatchObject({ exitCode: 0 });
    expect([read('bot.md').includes('id=p-aaaaaa-1 '), read('untrusted/bot.md')]).toEqual([true, '']);
  });
});

describe('memory export and import', () => {
  it('write the bytes unchanged, to a new file or standard output', async () => {
    const bytes = Buffer.concat([
      Buffer.from(AXE.replaceAll('\n', '\r\n')),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`\n${A}`),
    ]);
    store({ 'bot.md': bytes });
    expect(await memory(['export', 'bot', '--out', 'copy.md'])).toEqual({
      exitCode: 0,
      output: '',
      talk: 'Exported 2 entries to copy.md.\n',
    });
    expect(readFileSync(join(home, 'copy.md')).equals(bytes)).toBe(true);
    expect(await memory(['export', 'bot', '--out', 'copy.md'])).toMatchObject({
      exitCode: 1,
      talk: expect.stringMatching(/copy\.md exists already/),
    });
    expect((await memory(['export', 'bot'])).output).toBe(bytes.toString());
  });

  it('write everything to a new folder, without an agent', async () => {
    const files = { 'bot.md': A, 'bot.state.md': '- forgotten x\n', 'untrusted/bot.md': B, 'other.md': AXE };
    store(files);
    expect(await memory(['export', '--all', '--out', 'copy'])).toMatchObject({ exitCode: 0 });
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(join(home, 'copy', path), 'utf8')).toBe(text);
    expect(await memory(['export', '--all', '--out', 'copy'])).toMatchObject({ exitCode: 1 });
  });

  it('merge a file or standard input, and the second time changes nothing', async () => {
    store({ 'bot.md': AXE + A });
    const bytes = Buffer.concat([Buffer.from(A), Buffer.from([0xff, 0x0a]), Buffer.from(B)]);
    expect(await memory(['import', 'bot', '-'], { stdin: bytes })).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^Imported 1 entry; 1 was there already\./),
    });
    expect(read('bot.md')).toBe(AXE + A + B);
    writeFiles(home, { 'more.md': bytes });
    expect(await memory(['import', 'bot', 'more.md'])).toMatchObject({
      output: expect.stringMatching(/^Imported 0 entries; 2 /),
    });
    expect(read('bot.md')).toBe(AXE + A + B);
  });

  it('report a missing file', async () => {
    expect(await memory(['import', 'bot', 'nothing.md'])).toMatchObject({
      exitCode: 1,
      talk: `open ${join(home, 'nothing.md')}: no such file or directory\n  Check the path, which counts from the current folder.\n`,
    });
  });
});

describe('the place of memory', () => {
  it('can be a folder of a checkout, whose entries have provenance', async () => {
    writeFiles(home, {
      'checkout/.axe/memory/bot.md': A,
      'axe/agents/bot.toml': 'name = "bot"\nmodel = "ollama/llama3"\n[memory]\npath = "deep/bot.md"\n',
      'axe/agents/other.toml': 'name = "other"\nmodel = "ollama/llama3"\n',
    });
    const dir = ['--dir', 'checkout/.axe/memory'];
    expect(await memory(['show', 'other', ...dir])).toMatchObject({
      output: expect.stringMatching(/^No entries in `other\.md` in [^\n]*\n$/),
    });
    await memory(['remember', 'bot', 'in a folder', ...dir], { env: { GITHUB_ACTOR: 'octocat' } });
    expect(readFileSync(join(home, 'checkout/.axe/memory/deep/bot.md'), 'utf8')).toMatch(
      /Remembered by octocat\n\*\*Result:\*\* in a folder\n<!-- axe-action v=1 id=\S+ run=- job=- event=local sha=- actor=octocat trust=trusted model=- -->\n\n$/,
    );
    expect(existsSync(folder)).toBe(false);
  });

  it('can be a scope of it, and needs no home folder', async () => {
    writeFiles(home, { 'mem/packages/api/bot.md': A });
    const { exitCode, output } = await memory(
      ['forget', 'bot', 'aaaaaa', '--purge', '--dir', 'mem', '--scope', 'packages/api'],
      {
        env: { HOME: '' },
      },
    );
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('removed') });
    expect(readdirSync(join(home, 'mem/packages/api')).sort()).toEqual(['bot.md', 'bot.state.md']);
  });

  it('is that of the offline rules by their folder too, for any agent', async () => {
    writeFiles(home, { 'axe/agents/bot.toml': 'name = "bot"\nmodel = "offline/rules"\n' });
    store({ 'offline/bot.md': A, 'offline/other.md': B, 'untrusted/offline/bot.md': B });
    const dir = ['--dir', `${folder}/offline`];
    expect(await memory(['show', 'bot', ...dir])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(
        /^1 entry of `offline\/bot\.md` in [\s\S]*task 1[\s\S]*untrusted lane has 1 entry/,
      ),
    });
    expect(await memory(['show', 'other', ...dir])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^1 entry of `other\.md` in .*offline/),
    });
  });

  it.each([
    ['show', 'reviewre'],
    ['verify', 'reviewre'],
    ['search', 'reviewre', 'auth'],
  ])('is not searched for a mistyped name: %s %s', async (...words) => {
    writeFiles(home, { 'axe/agents/reviewer.toml': 'name = "reviewer"\nmodel = "ollama/m"\n' });
    const missing = {
      exitCode: 1,
      output: '',
      talk: expect.stringMatching(
        /^there is no agent "reviewre", and .* holds no memory of that name\n {2}Did you mean `reviewer`\?\n$/,
      ),
    };
    expect(await memory(words)).toEqual(missing);
    writeFiles(home, { 'mem/reviewer.md': A });
    expect(await memory([...words, '--dir', 'mem'])).toEqual(missing);
  });

  it('is shown for an agent that was removed, that is built in, or that is defined elsewhere', async () => {
    store({ 'gone.md': A });
    expect(await memory(['show', 'gone'])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('task 1'),
    });
    expect(await memory(['show', 'pr-reviewer'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^No entries/),
    });
    writeFiles(home, { 'mem/untrusted/.keep': '' });
    expect(await memory(['show', 'theirs', '--dir', 'mem'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^No entries/),
    });
    expect(await memory(['show', 'zzz'])).toMatchObject({
      exitCode: 1,
      talk: expect.stringContaining('Give one of `pr-reviewer`'),
    });
  });

  it('is the scope of the offline rules for an agent that uses them (D32)', async () => {
    writeFiles(home, { 'axe/agents/bot.toml': 'name = "bot"\nmodel = "offline/rules"\n' });
    store({ 'offline/bot.md': AXE });
    expect(await memory(['show', 'bot'])).toMatchObject({ output: expect.stringContaining('检查') });
  });

  it.each([
    [['show', 'bot', '--cache'], /^the Actions cache can only be reached inside a job\n {2}.*`mode: memory`/],
    [['show', 'bot', '--dir', 'a', '--repo', 'b/c'], /^`--dir` and `--repo` cannot be used together/],
    [['show', 'bot', '--branch', 'main'], /^`--branch` has no effect without `--repo`/],
    [['show', 'bot', '--repo', 'nonsense'], /^`--repo` is "nonsense"/],
    [['show', 'bot', '--repo', 'octocat/hello'], /^there is no token[^\n]*\n.*`GITHUB_TOKEN`/],
    [['show', 'bot', '--dir', 'nowhere'], /^no such folder: .*nowhere\n/],
    [['show', '../../etc/..'], /^(?:invalid|agent)/],
    [
      ['show'],
      /^requires at least 1 arg\(s\), only received 0\n {2}Usage: `axe-action memory show <agent> \[id\]`\.\n$/,
    ],
    [['forget', 'bot'], /^`forget` needs <id>\n {2}Usage: `axe-action memory forget <agent> <id>`\.\n$/],
    [
      ['search', 'bot'],
      /^`search` needs at least one word\n {2}Usage: `axe-action memory search <agent> <words>`\.\n$/,
    ],
    [['show', 'bot', '--last=-1'], /^invalid argument "-1" for "--last" flag: it is less than 0\n/],
    [
      ['forget', 'bot', 'x', '--json'],
      /^unknown flag: --json\n {2}`axe-action memory forget --help` lists the flags\.\n$/,
    ],
    [['show', 'bot', '--lane', 'side'], /^`--lane` is "side"/],
    [['import', 'bot'], /^`import` needs <file>\n/],
  ])('is refused: %j', async (words, talk) => {
    const result = await memory(words);
    expect(result.output).toBe('');
    expect(result.exitCode).toBeGreaterThan(0);
    expect(result.talk).toMatch(talk);
  });
});
