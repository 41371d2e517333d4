import * as v from 'valibot';
import { type LiveReport, VERDICTS } from './live-check.js';

const reportSchema = v.object({
  at: v.pipe(v.string(), v.isoTimestamp()),
  version: v.string(),
  server: v.string(),
  token: v.string(),
  findings: v.array(
    v.object({
      id: v.string(),
      assumes: v.string(),
      verdict: v.picklist(VERDICTS),
      seen: v.string(),
    }),
  ),
  bills: v.array(
    v.object({
      query: v.string(),
      formula: v.number(),
      billed: v.nullable(v.number()),
      nodes: v.nullable(v.number()),
    }),
  ),
  requests: v.object({ rest: v.number(), graphql: v.number(), points: v.number() }),
  leftBehind: v.array(v.string()),
});

/** The reports of a file: those of one check, or the file next to the page. Throws a ValiError. */
export function parseReports(json: unknown): readonly LiveReport[] {
  return v.parse(v.array(reportSchema), Array.isArray(json) ? json : [json]);
}

/** The page that is committed, `docs/verified-on-github.md`. */
export function formatPage(reports: readonly LiveReport[]): string {
  return [
    '# Verified on GitHub',
    '',
    'What the action takes for granted of GitHub, and what GitHub did when a person tried it in a scratch repository.',
    'This page is written by `npm run live`, see',
    '[CONTRIBUTING.md](../CONTRIBUTING.md#verify-it-on-github-ten-minutes).',
    '',
    ...reports.flatMap(formatReport),
  ].join('\n');
}

function formatReport({
  at,
  version,
  server,
  token,
  findings,
  bills,
  requests,
  leftBehind,
}: LiveReport): readonly string[] {
  const count = (verdict: (typeof VERDICTS)[number]) =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const counts = VERDICTS.map((verdict) => `${verdict} ${count(verdict)}`).join(', ');
  const { rest, graphql, points } = requests;
  return [
    `## ${at.slice(0, 10)}, ${token} token`,
    '',
    `Version ${version} on ${server}: ${counts}.`,
    `${rest} REST and ${graphql} GraphQL requests, ${points} points.`,
    `Left behind: ${leftBehind.length === 0 ? 'nothing' : cell(leftBehind.join(', '))}.`,
    '',
    '| Assumption | Verdict | Seen |',
    '| --- | --- | --- |',
    ...findings.map(
      ({ assumes, verdict, seen }) => `| ${cell(assumes)} | ${verdict} | ${cell(seen)} |`,
    ),
    '',
    '| Query | Points by formula | Billed | Nodes |',
    '| --- | --- | --- | --- |',
    ...bills.map(
      ({ query, formula, billed, nodes }) =>
        `| \`${query.replaceAll('|', '\\|').replaceAll('`', "'")}\` | ${formula} | ${billed ?? '?'} | ${nodes ?? '?'} |`,
    ),
    '',
  ];
}

/** GitHub's words are a text in the page, whatever is in them; our own keep their code spans. */
function cell(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\|<>[\]*_~#&@]/g, (character) => `\\${character}`)
    .replaceAll('\\@', '@\u200b');
}
