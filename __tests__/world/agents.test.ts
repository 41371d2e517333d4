import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/axe/trigger.js';
import { type AgentSources, findAgents, localAgents } from '../../src/world/agents.js';
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

/** An agent that says where it is from. */
function agent(from: string, more = ''): string {
  return `name = "bot"\nmodel = "ollama/llama3"\nsystem_prompt = "${from}"\n${more}`;
}

/** A GitHub with these files, by ref and path. */
function github(refs: Readonly<Record<string, Readonly<Record<string, string>>>>): FakeGitHubClient {
  return createFakeGitHubClient({
    [CONTENTS]: ({ params }) => {
      const text = refs[String(params['ref'])]?.[String(params['path'])];
      if (text === undefined) throw failure(404, CONTENTS);
      const content = Buffer.from(text).toString('base64');
      return { type: 'file', size: text.length, sha: 's', encoding: 'base64', content };
    },
  });
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
const FORK = pullRequest({ isFork: true, head: { sha: HEAD, ref: 'fix', repository: 'hubot/hello' } });

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

describe('the agents of a workflow', () => {
  it.each(ORDERS)('on %s come from %3$j', async (_, trigger, places) => {
    writeFiles(cwd, { 'axe/agents/bot.toml': agent('checkout') });
    const everywhere = ['main', 'release', 'fix', HEAD, 'b'.repeat(40)];
    const client = github(
      Object.fromEntries(everywhere.map((ref) => [ref, { 'axe/agents/bot.toml': agent(ref) }])),
    );
    const { config } = await find(trigger, { client }).agents.loadAgent('bot');
    expect(config.systemPrompt).toBe(places[0]);
    const asked = client.requests.map(({ params }) => params['ref']);
    expect([...new Set(asked)]).toEqual(places[0] === 'checkout' ? [] : [places[0]]);
  });

  it.each(ORDERS.filter(([, , places]) => places.length > 1))(
    'on %s come from the default branch where the checkout has none',
    async (_, trigger) => {
      const client = github({ main: { '.axe/agents/bot.toml': agent('main') } });
      const { config, source } = await find(trigger, { client }).agents.loadAgent('bot');
      expect([config.systemPrompt, source]).toEqual(['main', 'octocat/hello@main:.axe/agents/bot.toml']);
    },
  );

  it.each(ORDERS.filter(([, , [place]]) => place !== 'checkout'))(
    'on %s never come from the checkout, which may be anybody’s, nor from the head',
    async (_, trigger) => {
      writeFiles(cwd, {
        'axe/agents/bot.toml': agent('checkout'),
        'axe/skills/s/SKILL.md': 'of the checkout',
      });
      const client = github({ [HEAD]: { 'axe/agents/bot.toml': agent('head') }, fix: {} });
      const { agents } = find(trigger, { client });
      await expect(agents.loadAgent('bot')).rejects.toMatchObject({
        message: 'agent config not found: bot',
      });
      await expect(agents.loadSkill('s')).rejects.toMatchObject({ message: 'skill not found: s' });
    },
  );

  it('do not come from further on where the nearest is broken', async () => {
    writeFiles(cwd, { 'axe/agents/bot.toml': 'name = "bot"\n' });
    const client = github({ main: { 'axe/agents/bot.toml': agent('main') } });
    await expect(find(PUSH, { client }).agents.loadAgent('bot')).rejects.toMatchObject({
      message: 'agent config missing required field: model',
    });
  });

  it('that are nowhere are told with the nearest place that was searched', async () => {
    writeFiles(cwd, { 'axe/agents/other.toml': agent('checkout') });
    await expect(find(PUSH, { client: github({}) }).agents.loadAgent('bot')).rejects.toMatchObject({
      message: 'agent config not found: bot',
      remedy: expect.stringContaining('`other`'),
    });
  });

  it('bring their own skills and files', async () => {
    writeFiles(cwd, { 'axe/skills/s/SKILL.md': 'of the checkout', 'a.md': 'of the checkout' });
    const client = github({
      main: { 'axe/agents/bot.toml': agent('main', 'skill = "s"\n'), 'axe/skills/s/SKILL.md': 'of main' },
    });
    const { agents } = find(SCHEDULE, { client });
    await agents.loadAgent('bot');
    expect(await agents.loadSkill('s')).toBe('of main');
    writeFiles(cwd, { 'axe/agents/bot.toml': agent('checkout', 'skill = "s"\n') });
    const local = find(SCHEDULE, { client }).agents;
    await local.loadAgent('bot');
    expect(await local.loadSkill('s')).toBe('of the checkout');
    expect(await local.loadContextFiles(['*.md'], cwd)).toMatchObject({
      files: [{ path: 'a.md', content: 'of the checkout' }],
    });
  });

  it('are on disk where GitHub cannot be asked', async () => {
    writeFiles(cwd, { '.axe/agents/bot.toml': agent('checkout') });
    const found = find(SCHEDULE);
    expect((await found.agents.loadAgent('bot')).config.systemPrompt).toBe('checkout');
    expect(found.headAgents).toBeUndefined();
  });

  it.each([
    ['mine', ['mine/bot.toml', 'axe/agents/bot.toml', '.axe/agents/bot.toml']],
    ['', ['axe/agents/bot.toml', '.axe/agents/bot.toml']],
    ['/elsewhere', ['axe/agents/bot.toml', '.axe/agents/bot.toml']],
  ])('are looked for with `agents-dir` %j at %j of the base', async (agentsDir, paths) => {
    const client = github({ main: { [paths.at(-1) ?? '']: agent('main') } });
    await find(pullRequest(), { client, agentsDir }).agents.loadAgent('bot');
    expect(client.requests.map(({ params }) => params['path'])).toEqual(paths);
  });
});

describe('the agents of a pull request’s head', () => {
  it('are there to be looked at, at the commit of the event', async () => {
    const client = github({ [HEAD]: { 'axe/agents/bot.toml': agent('head') } });
    const { headAgents } = find(pullRequest(), { client });
    expect((await headAgents?.loadAgent('bot'))?.source).toBe('octocat/hello@aaaaaaa:axe/agents/bot.toml');
    expect(client.requests.every(({ params }) => params['ref'] === HEAD)).toBe(true);
  });

  it.each(ORDERS.filter(([, trigger]) => trigger.kind !== 'pull_request' || trigger.isFork))(
    'are not there on %s',
    (_, trigger) => {
      expect(find(trigger, { client: github({}) }).headAgents).toBeUndefined();
    },
  );

  it('are not there without GitHub', () => {
    expect(find(pullRequest()).headAgents).toBeUndefined();
  });
});

describe('the agents of the command line', () => {
  it('are those of the folder given, of the repository, and of this machine, in this order', async () => {
    const files = ['mine/bot.toml', 'axe/agents/bot.toml', '.axe/agents/bot.toml'];
    writeFiles(configDir, { 'agents/bot.toml': agent('machine') });
    const load = async () => {
      const library = localAgents({ cwd, agentsDir: 'mine', configDir });
      return (await library.loadAgent('bot')).config.systemPrompt;
    };
    expect(await load()).toBe('machine');
    for (const file of files.toReversed()) {
      writeFiles(cwd, { [file]: agent(file) });
      expect(await load()).toBe(file);
    }
  });

  it('come from the base first with an event, then from this machine', async () => {
    writeFiles(configDir, { 'agents/mine.toml': agent('machine').replace('"bot"', '"mine"') });
    writeFiles(cwd, { 'axe/agents/bot.toml': agent('checkout') });
    const client = github({ main: { 'axe/agents/bot.toml': agent('main') } });
    const { agents } = find(pullRequest(), { client, configDir });
    expect((await agents.loadAgent('bot')).config.systemPrompt).toBe('main');
    expect((await agents.loadAgent('mine')).config.systemPrompt).toBe('machine');
  });

  it('come from disk without an event, whether GitHub is there or not', async () => {
    mkdirSync(join(cwd, 'axe/agents'), { recursive: true });
    writeFiles(cwd, { 'axe/agents/bot.toml': agent('checkout') });
    const client = github({});
    const { agents } = find({ kind: 'local' }, { client, configDir });
    expect((await agents.loadAgent('bot')).config.systemPrompt).toBe('checkout');
    expect(client.requests).toEqual([]);
  });
});
