import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { createGitHubClient } from '../../../src/github/client/client.js';
import { GitHubError } from '../../../src/github/client/errors.js';
import { formatRefusalTable } from '../../../src/github/client/refusals.js';
import { noteTimeLeft } from '../../../src/lib/clock.js';

interface Vector {
  readonly source: string;
  readonly graphql?: { readonly type?: string; readonly message: string };
  readonly isMutation?: boolean;
  readonly http?: {
    readonly path: string;
    readonly status: number;
    readonly body?: object;
    readonly text?: string;
  };
  readonly reason: string;
  readonly about?: string;
}

/** Refusals as somebody met them, each with the public thread that shows it. */
const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'refusals.json'), 'utf8'),
);

/** The client's error for an answer, asked without any time to wait in, and how often it asked. */
async function refused({ graphql, http, isMutation = false }: Vector) {
  let asked = 0;
  const json = { 'content-type': 'application/json' };
  const fetch = async (): Promise<Response> => {
    asked += 1;
    if (graphql !== undefined)
      return new Response(JSON.stringify({ data: { x: null }, errors: [graphql] }), {
        status: 200,
        headers: json,
      });
    const { status = 500, body, text } = http ?? {};
    return new Response(text ?? JSON.stringify(body), {
      status,
      headers: text === undefined ? json : { 'content-type': 'text/html' },
    });
  };
  const client = await createGitHubClient({
    token: 't',
    apiUrl: 'http://github.test',
    graphqlUrl: 'http://github.test/graphql',
    fetch,
    userAgent: 'test',
    clock: { now: () => new Date(0), sleep: async () => undefined, random: () => 0 },
  });
  const { signal } = new AbortController();
  noteTimeLeft(signal, () => 0);
  const isGraphQl = graphql !== undefined || http?.path === 'POST /graphql';
  const request = isGraphQl
    ? client.graphql(isMutation ? 'mutation { x }' : 'query { x }', {
        variables: {},
        signal,
        canAskForLess: true,
      })
    : client.request(http?.path ?? '', { signal });
  const error = await request.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GitHubError)) throw error;
  return { error, asked };
}

it.each(VECTORS.map((vector) => [vector.source, vector] as const))(
  'a refusal is understood as met in %s',
  async (_, vector) => {
    const { error, asked } = await refused(vector);
    expect({ reason: error.reason, about: error.about, asked }).toEqual({
      reason: vector.reason,
      about: vector.about,
      asked: 1,
    });
  },
);

it('a query that nobody can ask for less of is asked again as it was', async () => {
  const vector = VECTORS.find(({ graphql }) => graphql?.message.startsWith('Something went wrong'));
  let asked = 0;
  const client = await createGitHubClient({
    token: 't',
    apiUrl: 'http://github.test',
    graphqlUrl: 'http://github.test/graphql',
    fetch: async () => {
      asked += 1;
      const body = asked < 3 ? { errors: [vector?.graphql] } : { data: { x: 1 } };
      return new Response(JSON.stringify(body), {
        headers: { 'content-type': 'application/json' },
      });
    },
    userAgent: 'test',
    clock: { now: () => new Date(0), sleep: async () => undefined, random: () => 0 },
  });
  const { signal } = new AbortController();
  expect(await client.graphql('query { x }', { variables: {}, signal })).toEqual({ x: 1 });
  expect(asked).toBe(3);
});

describe("GitHub's words", () => {
  const SRC = resolve(import.meta.dirname, '../../../src');
  /** Those that see a refusal. */
  const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && readFileSync(join(SRC, file), 'utf8').includes('GitHubError'),
  );
  const ANCHORS = new Map<unknown, readonly [string, string]>([
    ['includes', ['', '']],
    ['startsWith', ['^', '']],
    ['endsWith', ['', '$']],
  ]);
  /** Words that GitHub answered with, and those that the docs show. */
  const MET = [
    ...VECTORS.flatMap(({ graphql, http }) => [
      ...(graphql === undefined ? [] : [graphql.message]),
      ...(http?.body === undefined ? [] : [JSON.stringify(http.body)]),
    ]),
    ...[...formatRefusalTable().matchAll(/^\| `([^`]+)`/gm)].map(([, shown = '']) => shown),
    'Can not request changes on your own pull request',
    'Pull request review thread line must be part of the diff',
    'Can not dismiss a dismissed pull request review',
    'Label does not exist',
    'octocat is not a user',
    'Repository was archived so is read-only.',
    'abuse detection mechanism',
    'The requested diff is too_large',
    'Timeout on validation of query',
  ];

  const NEUTRAL = ['', 'a', 'The answer to everything', 'not found'];

  /** Regular expressions that name words, and strings that are searched for. */
  function patternsIn(source: string): readonly RegExp[] {
    const found: RegExp[] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, pattern, flags, callee, arguments: given } = node as Record<string, unknown>;
      if (type === 'RegExpLiteral') found.push(new RegExp(String(pattern), String(flags)));
      const method = (callee as { property?: { value?: unknown } } | undefined)?.property?.value;
      const [before, after] = ANCHORS.get(method) ?? [];
      for (const { expression } of (Array.isArray(given) ? given : []) as {
        expression: Record<string, unknown>;
      }[])
        if (before !== undefined && expression['type'] === 'StringLiteral')
          found.push(
            new RegExp(
              `${before}${String(expression['value']).replace(/[^\w\s]/g, '\\$&')}${after}`,
            ),
          );
      Object.values(node).forEach(visit);
    };
    visit(parseSync(source, { syntax: 'typescript', target: 'es2024' }).body);
    return found.filter(
      (pattern) => /[a-z]{5}/i.test(pattern.source) && !NEUTRAL.some((text) => pattern.test(text)),
    );
  }

  it('are known in one file', () => {
    const knowing = FILES.filter((file) =>
      patternsIn(readFileSync(join(SRC, file), 'utf8')).some((pattern) =>
        MET.some((words) => pattern.test(words)),
      ),
    );
    expect(knowing).toEqual(['github/client/refusals.ts']);
  });
});
