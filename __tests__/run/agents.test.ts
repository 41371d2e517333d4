import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { type AgentSources, findAgents } from '../../src/run/agents.js';
import {
  createFakeGitHubClient,
  type FakeGitHubClient,
  failure,
  noAbort,
} from '../helpers/github-client-fake.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const HEAD = 'a'.repeat(40);
const BOT = 'axe/agents/bot.toml';

/** An agent that says where it is from. */
function agent(from: string, more = ''): string {
  return `name = "bot"\nmodel = "ollama/llama3"\nsystem_prompt = "${from}"\n${more}`;
}

/** A GitHub with these files, by ref and path. */
function github(
  refs: Readonly<Record<string, Readonly<Record<string, string>>>>,
): FakeGitHubClient {
  return createFakeGitHubClient({
    [CONTENTS]: ({ params }) =>
      contentsOf(refs[String(params['ref'])] ?? {}, String(params['path'])),
  });
}

/** A file, or the files that a folder holds. */
function contentsOf(files: Readonly<Record<string, string>>, path: string) {
  const text = files[path];
  if (text !== undefined) {
    const content = Buffer.from(text).toString('base64');
    return { type: 'file', size: text.length, sha: 's', encoding: 'base64', content };
  }
  const inside = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
  if (inside.length === 0) throw failure(404, CONTENTS);
  return { type: 'dir', entries: inside.map((file) => ({ name: file.slice(path.length + 1) })) };
}

let cwd: string;
let configDir: string;

beforeEach(() => {
  cwd = tempDir('workspace');
  configDir = tempDir('config');
});

function find(trigger: Trigger, patch: Partial<AgentSources> = {}) {
  const sources: AgentSources = {
    trigger,
    cwd,
    agentsDir: '',
    configDir: undefined,
    client: undefined,
    signal: noAbort(),
    ...patch,
  };
  return findAgents(sources);
}

const PUSH: Trigger = {
  ...SCHEDULE,
  kind: 'push',
  event: 'push',
  ref: 'refs/heads/fix',
  before: '',
  after: '',
  commits: [],
};
const DISPATCH: Trigger = { ...SCHEDULE, kind: 'dispatch', event: 'workflow_dispatch' };
const UNKNOWN: Trigger = { ...SCHEDULE, kind: 'unknown', event: 'watch' };
const RELEASE = pullRequest({ base: { sha: 'b'.repeat(40), ref: 'release' } });
const FORK = pullRequest({
  isFork: true,
  head: { sha: HEAD, ref: 'fix', repository: 'hubot/hello' },
});

/** Where each kind of event looks, nearest first. */
const ORDERS: readonly (readonly [string, Trigger, readonly string[]])[] = [
  ['a pull request', pullRequest(), ['main']],
  ['a pull request into another branch', RELEASE, ['release']],
  ['a pull request from a fork', FORK, ['main']],
  ['an issue', issue(), ['main']],
  ['a comment on an issue', comment(), ['main']],
  ['a comment on a pull request', comment({ on: 'pull_request' }), ['main']],
  ['an unknown event', UNKNOWN, ['main']],
  ['a push', PUSH, ['checkout', 'main']],
  ['a schedule', SCHEDULE, ['checkout', 'main']],
  ['a manual start', DISPATCH, ['checkout', 'main']],
];

/** This GitHub has no GraphQL, which is asked first. */
function byRest({ requests }: ReturnType<typeof github>) {
  return requests.filter(({ route }) => route !== 'graphql');
}

describe('the agents of a workflow', () => {
  it.each(ORDERS)('on %s come from %3$j', async (_, trigger, places) => {
    writeFiles(cwd, { [BOT]: agent('checkout') });
    const everywhere = ['main', 'release', 'fix', HEAD, 'b'.repeat(40)];
    const client = github(
      Object.fromEntries(everywhere.map((ref) => [ref, { [BOT]: agent(ref) }])),
    );
    const { config } = await find(trigger, { client }).agents.loadAgent('bot');
    expect(config.systemPrompt).toBe(places[0]);
    const asked = byRest(client).map(({ params }) => params['ref']);
    expect([...new Set(asked)]).toEqual(places[0] === 'checkout' ? [] : [places[0]]);
  });

  it.each(ORDERS.filter(([, , places]) => places.length > 1))(
    'on %s come from the default branch if the checkout has none',
    async (_, trigger) => {
      const client = github({ main: { '.axe/agents/bot.toml': agent('main') } });
      const { config, source } = await find(trigger, { client }).agents.loadAgent('bot');
      expect([config.systemPrompt, source]).toEqual([
        'main',
        'octocat/hello@main:.axe/agents/bot.toml',
      ]);
    },
  );

  it.each(ORDERS.filter(([, , [place]]) => place !== 'checkout'))(
    'on %s never come from the checkout, which anybody might have written, nor from the head',
    async (_, trigger) => {
      writeFiles(cwd, { [BOT]: agent('checkout'), 'axe/skills/s/SKILL.md': 'of the checkout' });
      const client = github({ [HEAD]: { [BOT]: agent('head') }, fix: {} });
      const { agents } = find(trigger, { client });
      await expect(agents.loadAgent('bot')).rejects.toMatchObject({
        message: 'agent config not found: bot',
      });
      await expect(agents.loadSkill('s')).rejects.toThrow('skill not found: octocat/hello@');
    },
  );

  it('are only looked at where a branch of the repository has them, never in a fork', () => {
    const client = github({});
    expect(find(pullRequest(), { client }).headAgents).toBeDefined();
    expect(find(FORK, { client }).headAgents).toBeUndefined();
  });

  it('do not come from a later place if the nearest is broken', async () => {
    writeFiles(cwd, { [BOT]: 'name = "bot"\n' });
    const client = github({ main: { [BOT]: agent('main') } });
    await expect(find(PUSH, { client }).agents.loadAgent('bot')).rejects.toMatchObject({
      message: 'agent config missing required field: model',
    });
  });

  it('that are missing are reported with every place that was searched, and the agents of all of them', async () => {
    writeFiles(cwd, { 'axe/agents/other.toml': agent('checkout') });
    const client = github({ main: { 'axe/agents/bto.toml': agent('main') } });
    await expect(find(PUSH, { client }).agents.loadAgent('bot')).rejects.toMatchObject({
      message: 'agent config not found: bot',
      remedy:
        'Did you mean `bto`? There are: `bto`, `other`, `builtin/ask`, `builtin/fix`, `builtin/triage`, `builtin/pr-reviewer`. ' +
        'Searched in `axe/agents`, `.axe/agents` and in `axe/agents` and `.axe/agents` of octocat/hello@main.',
    });
  });

  it.each([
    ['mine', ['mine/bot.toml', BOT, '.axe/agents/bot.toml']],
    ['', [BOT, '.axe/agents/bot.toml']],
    ['/elsewhere', [BOT, '.axe/agents/bot.toml']],
  ])('are searched with `agents-dir` %j at %j of the base', async (agentsDir, paths) => {
    const client = github({ main: { [paths.at(-1) ?? '']: agent('main') } });
    await find(pullRequest(), { client, agentsDir }).agents.loadAgent('bot');
    const files = byRest(client).map(({ params }) => String(params['path']));
    expect(files.filter((path) => path.endsWith('.toml'))).toEqual(paths);
  });
});

it('the agents of the command line come from the base first with an event, then from this machine', async () => {
  writeFiles(configDir, { 'agents/mine.toml': agent('machine').replace('"bot"', '"mine"') });
  writeFiles(cwd, { [BOT]: agent('checkout') });
  const client = github({ main: { [BOT]: agent('main') } });
  const { agents } = find(pullRequest(), { client, configDir });
  expect((await agents.loadAgent('bot')).config.systemPrompt).toBe('main');
  expect((await agents.loadAgent('mine')).config.systemPrompt).toBe('machine');
});
