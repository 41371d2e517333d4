import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { createOfflineModel } from '../../src/model/offline.js';
import { FENCE_NOTICE, fence } from '../../src/safety/fence.js';
import { sanitize } from '../../src/safety/sanitize.js';

function options(message: string, system = ''): LanguageModelV4CallOptions {
  return {
    prompt: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: [{ type: 'text', text: message }] },
    ],
  };
}

async function answer(message: string, system = ''): Promise<string> {
  const { content } = await createOfflineModel().doGenerate(options(message, system));
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** A diff that adds lines to a file. */
function adding(path: string, lines: readonly string[], start = 1): string {
  return [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${start},0 +${start},${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');
}

function pullRequest(diff: string): string {
  return [
    'Review pull request #7: A change',
    FENCE_NOTICE,
    fence('Title: A change', { source: 'description of pull request #7', markdown: true }),
    fence(diff, { source: 'diff of pull request #7' }),
  ].join('\n\n');
}

describe('createOfflineModel', () => {
  it('returns a model of the provider interface that uses no tokens', async () => {
    const model = createOfflineModel();
    expect(model).toMatchObject({ specificationVersion: 'v4', provider: 'offline', modelId: 'rules' });
    expect(await model.doGenerate(options('Hello'))).toMatchObject({
      finishReason: { unified: 'stop' },
      usage: { inputTokens: { total: 0 }, outputTokens: { total: 0 } },
      warnings: [],
    });
  });

  it('stops when the run is aborted', async () => {
    const abortSignal = AbortSignal.abort(new Error('enough'));
    await expect(createOfflineModel().doGenerate({ ...options('Hello'), abortSignal })).rejects.toThrow(
      'enough',
    );
  });

  it('states at once what it is, and when nothing was found', async () => {
    const text = await answer(pullRequest(adding('README.md', ['Hello'])));
    expect(text).toMatch(/^\*\*No model wrote this\.\*\* It is what `offline\/rules` found/);
    expect(text).toContain('None of the rules found anything. That is not a judgement of the change.');
  });

  it('reviews a diff that it finds in a fence', async () => {
    const diff =
      adding('src/a.ts', ['const a = 1;', '// TODO: later', 'console.log(a);'], 10) +
      adding('a.test.ts', ['x']);
    const text = await answer(pullRequest(diff));
    expect(await answer(pullRequest(diff))).toBe(text);
    expect(text).toContain('Looked at 2 files (+4 −0).');
    expect(text).toContain('- `src/a.ts:12`: debug output (`console.log`) outside of tests');
    expect(text).toContain('- `src/a.ts:11`: a new TODO');
  });

  it('reviews a diff that is piped as the task', async () => {
    const text = await answer(adding('src/a.py', ['breakpoint()']));
    expect(text).toContain('- `src/a.py:1`: debug output (`breakpoint`) outside of tests');
  });

  it('states how many files did not fit', async () => {
    const text = await answer(
      `${pullRequest(adding('a.test.ts', ['x']))}\n\n${fence('modified a.ts +1 -0\nmodified b.ts +2 -0', { source: 'files not shown' })}`,
    );
    expect(text).toContain('2 files of the change could not be read, or only in part.');
  });

  it('never repeats a secret that it finds', async () => {
    const token = `ghp_${'aB3'.repeat(12)}`;
    const text = await answer(pullRequest(adding('a.env', [`TOKEN=${token}`])));
    expect(text).toContain('- `a.env:1`: this looks like a GitHub token; if it is real, revoke it');
    expect(text).not.toContain('aB3');
  });

  it('escapes every path', async () => {
    const text = await answer(pullRequest(adding('a`@octocat`\u202Eb.ts', ['debugger;'])));
    expect(text).toContain("- `a'@octocat'b.ts:1`: debug output");
    expect(sanitize(text, 'comment', [])).toBe(text);
  });

  it('states what it can do if there is no diff', async () => {
    expect(await answer('Write a haiku')).toContain('They can review a diff, and none was sent.');
  });
});
