import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { createGitHubClient } from '../src/github/client/client.js';
import { GitHubError } from '../src/github/client/errors.js';
import { type Clock, createClock, signalAfter } from '../src/lib/clock.js';
import type { Environment } from '../src/lib/environment.js';
import { ConfigError, messageOf } from '../src/lib/errors.js';
import { VERSION } from '../src/lib/product.js';
import { checkLive, type LiveOptions, type LiveReport, wasLimited } from './live-check.js';
import { formatPage, parseReports } from './page.js';

const USAGE = `Usage:
  GH_TOKEN=… npm run live -- --repo OWNER/axe-scratch [--large] [--burst] [--json FILE]
  npm run live -- --from FILE,FILE… --page docs/verified-on-github.md

It writes to the repository, which must have \`scratch\` in its name: branches, a pull request and
a check run. It removes its branches at the end; the closed pull request stays.`;

interface LiveInput {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly print: (line: string) => void;
  readonly say: (line: string) => void;
  /** Tests have one that does not wait. */
  readonly clock?: Clock;
}

/** Ends with 0, with 1 if an assumption does not hold, and with 2 if the check could not be made. */
export async function main(input: LiveInput): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...input.args],
      options: {
        repo: { type: 'string' },
        json: { type: 'string' },
        from: { type: 'string' },
        page: { type: 'string' },
        large: { type: 'boolean' },
        burst: { type: 'boolean' },
      },
    });
    if (values.from !== undefined && values.page !== undefined)
      return writePage(input, values.from.split(','), values.page);
    const options = await optionsOf(input, values);
    if (typeof options === 'string') return refuse(input, options);
    const report = await checkLive(options);
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
    return printReport(input, report);
  } catch (thrown) {
    const remedy = thrown instanceof GitHubError ? (thrown.remedy ?? '') : '';
    return refuse(input, `${messageOf(thrown)}. Nothing was written.\n${remedy}`.trim());
  }
}

function refuse({ say }: LiveInput, message: string): number {
  say(message);
  return 2;
}

/** Why the check is not made, if it is not. Throws a GitHubError. */
async function optionsOf(
  { env, clock = createClock() }: LiveInput,
  { repo = '', large, burst }: { repo?: string; large?: boolean; burst?: boolean },
): Promise<LiveOptions | string> {
  const [owner = '', name = ''] = repo.split('/');
  if (owner === '' || name === '') return USAGE;
  const token = env['GH_TOKEN'] || env['GITHUB_TOKEN'] || '';
  if (token === '')
    return `Set \`GH_TOKEN\`, for example to what \`gh auth token\` prints.\n\n${USAGE}`;

  const apiUrl = (env['GITHUB_API_URL'] || 'https://api.github.com').replace(/\/+$/, '');
  const graphqlUrl = env['GITHUB_GRAPHQL_URL'] || `${apiUrl.replace(/\/v3$/, '')}/graphql`;
  const serverUrl = env['GITHUB_SERVER_URL'] || 'https://github.com';
  const access = { token, apiUrl, graphqlUrl, fetch, clock };
  if (!isScratch(name)) return notScratch(repo);
  const userAgent = `axe-action/${VERSION} live check`;
  const client = await createGitHubClient({ ...access, userAgent });
  const { body } = await client.request('GET /repos/{owner}/{repo}', {
    params: { owner, repo: name },
    signal: signalAfter(CONNECT_MS),
  });
  const found = v.parse(repositorySchema, body);
  // A repository that was renamed answers under its former name.
  if (!isScratch(found.name)) return notScratch(`${owner}/${found.name}`);
  return {
    ...access,
    serverUrl,
    repository: {
      owner: found.owner.login,
      name: found.name,
      defaultBranch: found.default_branch,
      isPrivate: found.private,
    },
    version: VERSION,
    id: access.clock.now().getTime().toString(36),
    actor: env['GITHUB_ACTOR'] || found.owner.login,
    options: [...(large ? (['large'] as const) : []), ...(burst ? (['burst'] as const) : [])],
  };
}

const CONNECT_MS = 60_000;

const repositorySchema = v.object({
  name: v.string(),
  owner: v.object({ login: v.string() }),
  default_branch: v.string(),
  private: v.boolean(),
});

function isScratch(name: string): boolean {
  return name.includes('scratch');
}

function notScratch(repo: string): string {
  return `${repo} does not have \`scratch\` in its name, and the check writes to it. Make a repository for it, for example \`axe-scratch\`.`;
}

function printReport({ print, say }: LiveInput, report: LiveReport): number {
  for (const { verdict, assumes, seen } of report.findings)
    print(`${verdict.padEnd(11)}  ${assumes} (${seen})`);
  const { rest, graphql, points } = report.requests;
  print(`\n${rest} REST and ${graphql} GraphQL requests, ${points} points.`);
  if (report.leftBehind.length > 0) print(`Left behind: ${report.leftBehind.join(', ')}.`);
  if (wasLimited(report)) {
    say('GitHub limits this account, so the check could not end. Run it again in an hour.');
    return 2;
  }
  const isBroken = report.findings.some(({ verdict }) => verdict === 'does not');
  if (isBroken) say('An assumption does not hold. Open an issue with the lines that say so.');
  return isBroken ? 1 : 0;
}

/** The page, and next to it the reports that it was made from. */
function writePage({ print }: LiveInput, files: readonly string[], page: string): number {
  const reports = files.flatMap(readReports);
  writeFileSync(page, formatPage(reports));
  const json = page.replace(/\.md$/, '.json');
  writeFileSync(json, `${JSON.stringify(reports, undefined, 2)}\n`);
  print(`Wrote ${page} and ${json}.`);
  return 0;
}

/** Throws a ConfigError. */
function readReports(file: string): readonly LiveReport[] {
  try {
    return parseReports(JSON.parse(readFileSync(file, 'utf8')));
  } catch (thrown) {
    throw new ConfigError(`${file} is not a report of \`npm run live\`: ${messageOf(thrown)}`);
  }
}
