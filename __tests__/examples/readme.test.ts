import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { ToolParts } from '../../src/run/built-in-tools.js';
import { AGENT_TOOLS, createTools } from '../../src/run/tools.js';
import { grantTools } from '../../src/tools/grants.js';
import { agentOf } from './needed-permissions.js';

const FOLDER = join(import.meta.dirname, '../../examples');
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');

it('the README of the examples lists every workflow and every agent', () => {
  const links = [...README.matchAll(/\]\(((?:agents|workflows)\/[^)]+)\)/g)].map(
    ([, link]) => link,
  );
  const files = ['agents', 'workflows'].flatMap((folder) =>
    readdirSync(join(FOLDER, folder)).map((file) => `${folder}/${file}`),
  );
  expect([...new Set(links)].sort()).toEqual([...files].sort());
});

it('the README of the examples names the tools that a workflow has to allow', async () => {
  const rows = [
    ...README.matchAll(/^\| \[([\w-]+)\]\(agents\/[^|]*\|[^|]*\| ?(?:`([^`]*)` )?\|$/gm),
  ];
  const listed = rows.map(([, name = '', allowed = '']) => [name, allowed]);
  const needed = await Promise.all(
    listed.map(async ([name = '']) => [name, (await neededBy(name)).join(', ')]),
  );
  expect(listed).toEqual(needed);
  expect(listed).toHaveLength(readdirSync(join(FOLDER, 'agents')).length);
});

/** What a workflow withholds from the agent as long as nothing is allowed. */
async function neededBy(name: string): Promise<readonly string[]> {
  const { tools, mcpServers } = agentOf(name);
  // Only names and effects are looked at; no tool is run.
  const made = await createTools(tools, { env: {}, allowedHosts: [] } as unknown as ToolParts);
  expect(tools.filter((tool) => !AGENT_TOOLS.includes(tool))).toEqual([]);
  const servers = mcpServers.map((server) => ({ name: server.name, effect: 'execute' as const }));
  const rules = { where: 'workflow', tools: 'all', toolsAllowed: [] } as const;
  const { granted } = grantTools([...made.tools, ...servers], rules);
  const isWithheld = (tool: string) =>
    [...made.tools, ...servers].some((one) => one.name === tool) &&
    !granted.some((one) => one.name === tool);
  return [...tools, ...mcpServers.map((server) => server.name)].filter(isWithheld);
}
