// slow
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { createMaskedClient } from '../../src/github/client/masked-client.js';
import { SEARCH_LIMITS } from '../../src/lib/defaults.js';
import { createOutputBuffer } from '../../src/lib/text/bytes.js';
import { redact } from '../../src/safety/redact.js';
import { createGitHubDiff, createGitHubFile } from '../../src/tools/github/code.js';
import { createGitHubReader } from '../../src/tools/github/reader.js';
import { createGitHubChecks } from '../../src/tools/github/talk.js';
import { formatResult } from '../../src/tools/mcp/server.js';
import { createRunCommand, createShell } from '../../src/tools/process/shell.js';
import type { Tool } from '../../src/tools/tool.js';
import { createMaskedWorkspace } from '../../src/tools/workspace/masked-workspace.js';
import type { Workspace } from '../../src/tools/workspace/workspace.js';
import { createFakeGitHubClient } from '../helpers/github-client-fake.js';
import { bareJail } from '../helpers/jail.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { pullRequest } from '../helpers/triggers.js';
import { quiet, toolsOver } from './workspace-scene.js';

/** Everybody knows how such a key begins. */
const PUBLIC = 'sk-ant-api03-';
const KEY = `${PUBLIC}q7Zk2Pv9Xw4Lm8Rt3Ns6Bd1Fh5Jc0Gy`;
const SECRETS = [KEY];
const LINE_LENGTH = 100_000;

/** Throws for a text that has eight characters of the key in a row, behind its public beginning. */
function expectNoPart(text: string, place: string): void {
  for (let start = PUBLIC.length; start + 8 <= KEY.length; start += 1)
    if (text.includes(KEY.slice(start, start + 8)))
      throw new Error(`${place}: the text has ${KEY.slice(start, start + 8)}`);
}

/** A line with the key at an offset. */
function lineWith(offset: number, length = LINE_LENGTH): string {
  return `${'.'.repeat(offset)}${KEY}${'.'.repeat(Math.max(0, length - offset - KEY.length))}`;
}

/** All offsets at which the key lies across one of these places, from the start of the line. */
function* offsetsAround(...cuts: readonly number[]): Generator<number> {
  for (const cut of cuts)
    for (let offset = cut - KEY.length - 16; offset <= cut + 16; offset += 1) yield offset;
}

/** A folder with one file, `a.txt`. */
function folderWith(text: string | Uint8Array): Workspace & { text(): string } {
  let bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const folder: Workspace = {
    list: async () => [{ name: 'a.txt', kind: 'file' }],
    read: async (_, maxBytes) => ({ bytes: bytes.subarray(0, maxBytes), size: bytes.length }),
    async change(_, make) {
      bytes = make(bytes) ?? new Uint8Array();
    },
  };
  return {
    ...createMaskedWorkspace(folder, SECRETS),
    text: () => new TextDecoder().decode(bytes),
  };
}

/** Half of the room for a long line, and of that for a result. */
const LINE_CUT = (8 * 1024 - 100) / 2;
const RESULT_CUT = (64 * 1024 - 100) / 2;

describe('a file of the workspace', () => {
  it('shows no part of a key in a page, wherever a long line is cut', async () => {
    for (const offset of offsetsAround(LINE_CUT, LINE_LENGTH - LINE_CUT)) {
      const call = toolsOver(folderWith(`first\n${lineWith(offset)}\nlast`));
      const { text } = await call('read_file', { path: 'a.txt' });
      expect(text).toContain('bytes left out');
      expectNoPart(text, `offset ${offset}`);
    }
  });

  it('shows no part of a key around a match, wherever that is', async () => {
    for (const distance of offsetsAround(150)) {
      const line = `${'.'.repeat(50_000)}${KEY}`;
      const after = `${line}${'.'.repeat(Math.max(0, distance))}needle`;
      const before = `needle${'.'.repeat(Math.max(0, distance))}${KEY}${line}`;
      const call = toolsOver(folderWith(`${after}\n${before}\n`));
      const { text } = await call('search_files', { text: 'needle' });
      expect(text).toContain('needle');
      expectNoPart(text, `distance ${distance}`);
    }
  });

  it.each([1, 8, KEY.length - 1])(
    'shows no part of a key of which %d characters are within the limit of a search',
    async (inside) => {
      const { fileBytes } = SEARCH_LIMITS;
      const offset = fileBytes - inside;
      for (const text of [
        `${'.'.repeat(offset)}${KEY}`,
        `${'.'.repeat(offset - 9)}\nneedle: ${KEY}`,
      ]) {
        const { bytes, size } = await folderWith(text).read('a.txt', fileBytes);
        expect(size).toBe(text.length);
        expectNoPart(new TextDecoder().decode(bytes), `${inside} inside`);
        expect(bytes.length).toBeGreaterThan(fileBytes - 70_000);
      }
    },
  );

  it('answers a search and an edit alike for a right and a wrong beginning of a key', async () => {
    const call = toolsOver(folderWith(`key: ${KEY}\n`));
    const answers = async (guess: string) => [
      await call('search_files', { text: guess }),
      await call('search_files', { text: guess.toUpperCase(), ignore_case: true }),
      await call('search_files', { glob: `*${guess}*` }),
      await call('edit_file', { path: 'a.txt', old_string: guess, new_string: 'x' }),
    ];
    for (let length = 1; length < KEY.length; length += 1) {
      const right = KEY.slice(0, length);
      const wrong = `${right.slice(0, -1)}${right.endsWith('!') ? '?' : '!'}`;
      expect(await answers(right)).toEqual(await answers(wrong));
    }
  });

  it('has no secret in its name either', async () => {
    const folder: Workspace = {
      ...folderWith(''),
      list: async () => [{ name: `${KEY}.txt`, kind: 'file' }],
    };
    const call = toolsOver(createMaskedWorkspace(folder, SECRETS));
    expect(await call('list_directory', {})).toMatchObject({ text: '***.txt' });
    expect(await call('search_files', { glob: `${PUBLIC}*` })).toMatchObject({
      text: '(nothing found)',
    });
  });
});

const REST = 'GET /repos/{owner}/{repo}';

/** The tools over a GitHub that answers so. */
function gitHubTool(
  create: (github: ReturnType<typeof createGitHubReader>) => Tool,
  routes: Parameters<typeof createFakeGitHubClient>[0],
) {
  const client = createMaskedClient(createFakeGitHubClient(routes), SECRETS);
  const tool = create(createGitHubReader(client, pullRequest()));
  return (input: object) => tool.execute(input, quiet);
}

/** The route of a file, in the two ways in which GitHub sends one. */
function fileRoutes(text: string) {
  const content = Buffer.from(text).toString('base64').replace(/.{60}/g, '$&\n');
  const file = { type: 'file', size: text.length, sha: 'a1', path: 'a.txt' };
  return {
    [`${REST}/contents/{path}`]: () =>
      text.length > 400_000
        ? { ...file, encoding: 'none', content: '' }
        : { ...file, encoding: 'base64', content },
    [`${REST}/git/blobs/{file_sha}`]: () => ({ encoding: 'base64', content }),
  };
}

describe('an answer of GitHub', () => {
  it.each([LINE_LENGTH, 500_000])(
    'shows no part of a key in a file of %d bytes, wherever its line is cut',
    async (length) => {
      for (const offset of offsetsAround(LINE_CUT, length - LINE_CUT)) {
        const read = gitHubTool(createGitHubFile, fileRoutes(`first\n${lineWith(offset, length)}`));
        const { text, shown } = await read({ path: 'a.txt' });
        expect(text).toContain('bytes left out');
        expectNoPart(`${text}${JSON.stringify(shown)}`, `offset ${offset}`);
      }
    },
  );

  it.each(['text', 'bytes'])(
    'shows no part of a key in a diff that comes as %s, wherever its line is cut',
    async (form) => {
      for (const offset of offsetsAround(LINE_CUT - 1, LINE_LENGTH - LINE_CUT)) {
        const diff = `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1 @@\n+${lineWith(offset)}\n`;
        const bytes = new TextEncoder().encode(diff);
        const read = gitHubTool(createGitHubDiff, {
          [`${REST}/compare/{basehead}`]: () => (form === 'text' ? diff : bytes.buffer),
        });
        const { text, shown } = await read({ path: 'a.txt' });
        expect(text).toContain('bytes left out');
        expectNoPart(`${text}${JSON.stringify(shown)}`, `offset ${offset}`);
      }
    },
  );

  it('shows no part of a key in a log, wherever the result is cut', async () => {
    const check = {
      __typename: 'CheckRun',
      name: 'test',
      externalId: null,
      conclusion: 'FAILURE',
      status: 'COMPLETED',
      detailsUrl: 'https://github.com/o/r/actions/runs/1/job/2',
      checkSuite: { app: { slug: 'github-actions' } },
      title: null,
      summary: null,
    };
    const contexts = { nodes: [check], pageInfo: { endCursor: null, hasNextPage: false } };
    const isCut: boolean[] = [];
    for (const offset of [...offsetsAround(RESULT_CUT - 2100, LINE_LENGTH - RESULT_CUT + 2048)]) {
      const read = gitHubTool(createGitHubChecks, {
        graphql: () => ({ repository: { checked: { statusCheckRollup: { contexts } } } }),
        [`${REST}/actions/jobs/{job_id}/logs`]: () => lineWith(offset),
      });
      const { text } = await read({});
      isCut.push(text.includes('bytes left out'));
      expectNoPart(text, `offset ${offset}`);
    }
    expect(isCut).not.toContain(false);
  });

  it('holds no key in what GraphQL says either', async () => {
    const body = { comments: [{ body: lineWith(16_000), [KEY]: 1 }] };
    const client = createMaskedClient(createFakeGitHubClient({ graphql: () => body }), SECRETS);
    const answer = await client.graphql('query { x }', { variables: {}, signal: quiet });
    expect(JSON.stringify(answer)).toContain('***');
    expectNoPart(JSON.stringify(answer), 'the answer');
  });
});

describe('the output of a program', () => {
  const clean = (text: string) => redact(text, SECRETS);

  it.each([LINE_LENGTH, 1_000_000])(
    'shows no part of a key in %d bytes, wherever they are cut and in whatever pieces they come',
    (length) => {
      const max = 64 * 1024;
      const bufferCut = RESULT_CUT + 64 * 1024;
      const cuts = [RESULT_CUT, length - RESULT_CUT, bufferCut, length - bufferCut];
      for (const offset of offsetsAround(...cuts)) {
        const bytes = new TextEncoder().encode(lineWith(offset, length));
        const buffer = createOutputBuffer(max);
        for (let start = 0; start < bytes.length; start += 65_536)
          buffer.add(bytes.subarray(start, start + 65_536));
        const text = buffer.text(clean);
        expect(text.length).toBeLessThanOrEqual(max);
        expect(text).toContain('bytes left out');
        expectNoPart(text, `offset ${offset}`);
      }
    },
  );

  it('shows no part of a key that many masks move towards a cut', () => {
    const max = 64 * 1024;
    for (let extra = 0; extra < 60; extra += 1) {
      const text = `${KEY.repeat(2200)}${'.'.repeat(extra)}${lineWith(30_000, 900_000)}${'.'.repeat(extra)}${KEY.repeat(2200)}`;
      const buffer = createOutputBuffer(max);
      buffer.add(new TextEncoder().encode(text));
      expectNoPart(buffer.text(clean), `${extra} more`);
    }
  });

  it.each([0, -10, -30])(
    'shows no part of a key in a command that prints a file (%d)',
    async (move) => {
      const folder = tempDir('masking');
      const cut = (64 * 1024 - 256 - 100) / 2;
      writeFiles(folder, { 'a.txt': lineWith(cut + move) });
      const shell = createShell({ PATH: process.env['PATH'] }, bareJail);
      const tool = createRunCommand(shell, folder, SECRETS);
      const { text } = await tool.execute({ command: `cat ${join(folder, 'a.txt')}` }, quiet);
      expect(text).toContain('bytes left out');
      expectNoPart(text, `moved by ${move}`);
    },
  );

  it('shows no key that colours split', async () => {
    const shell = createShell({ PATH: process.env['PATH'] }, bareJail);
    const tool = createRunCommand(shell, tempDir('masking'), SECRETS);
    const coloured = `${KEY.slice(0, 20)}\\033[31m${KEY.slice(20)}\\033[0m`;
    const { text } = await tool.execute({ command: `printf '${coloured}'` }, quiet);
    expect(text).toBe('***');
  });

  it('shows no part of a key in the answer of an MCP server, wherever it is cut', () => {
    for (const offset of offsetsAround(RESULT_CUT, LINE_LENGTH - RESULT_CUT)) {
      const answer: CallToolResult = { content: [{ type: 'text', text: lineWith(offset) }] };
      const { text } = formatResult(answer, clean);
      expect(text).toContain('bytes left out');
      expectNoPart(text, `offset ${offset}`);
    }
  });
});
