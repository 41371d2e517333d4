import { expect, it } from '@jest/globals';
import { text, toolCall } from '../helpers/model-server.js';
import { runWatched } from '../hostile/watched-run.js';
import { setStage, told } from './stage.js';
import { agentToml, checkout, resultsOf } from './tool-scene.js';

const TOOLS = ['read_file', 'write_file', 'run_command', 'url_fetch'];
const SERVER =
  '[[mcp_servers]]\nname = "files"\ntransport = "stdio"\ncommand = "touch"\nargs = ["started"]\n';

/** An issue by somebody without access, which a maintainer labels: the run starts, and reads a stranger's text. */
async function label(role: 'read' | 'write') {
  const patch = { 'issue.user.login': 'octocat', 'issue.user.id': 583231 };
  const stage = await setStage({
    event: { name: 'issues', action: 'labeled', patch },
    roles: { octocat: role },
    base: { 'axe/agents/worker.toml': agentToml({ tools: TOOLS, tables: SERVER }) },
    model: [
      {
        kind: 'tools',
        calls: [
          { name: 'write_file', input: { path: 'made.txt', content: 'x' } },
          { name: 'run_command', input: { command: 'touch made.txt' } },
        ],
      },
      toolCall('read_file', { path: 'README.md' }),
      text('Done.'),
    ],
  });
  const step = await runWatched(stage, {
    isUntrusted: true,
    workspace: checkout({ 'README.md': '# Hello\n' }),
    inputs: { agent: 'worker', 'tools-allowed': 'write, execute, network' },
  });
  return { step, prompts: stage.model.prompts() };
}

it('an untrusted run gets no tool that writes, executes or reaches the network, whatever the workflow allows', async () => {
  const { step, prompts } = await label('read');
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(step.log).toContain('Trust:  untrusted, because it reads text by octocat');
  expect(prompts.map(({ tools }) => tools)).toEqual(prompts.map(() => ['read_file']));
  expect(resultsOf(prompts[2])).toEqual([
    'Unknown tool: "write_file". There are these: read_file',
    'Unknown tool: "run_command". There are these: read_file',
    '1: # Hello',
  ]);
  const [warning = '', ...others] = told(step);
  expect(others).toEqual([]);
  for (const tool of ['write_file', 'run_command', 'url_fetch', 'files']) {
    expect(warning).toContain(`The tool \`${tool}\``);
  }
  expect(warning).not.toContain('tools-allowed');
});

it('a run gets these tools if the author of the text can write too', async () => {
  const { step, prompts } = await label('write');
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(step.log).toContain('Trust:  trusted');
  expect(prompts[0]?.tools).toEqual(TOOLS);
});
