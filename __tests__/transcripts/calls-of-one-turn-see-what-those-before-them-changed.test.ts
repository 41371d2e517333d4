import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { agentToml, resultsOf } from './tool-scene.js';

it('a command and a reader see the file that was written first', async () => {
  const calls = [
    { name: 'write_file', input: { path: 'note.txt', content: 'fresh\n' } },
    { name: 'run_command', input: { command: 'cat note.txt' } },
    { name: 'read_file', input: { path: 'note.txt' } },
  ];
  const model = await startModelServer([{ kind: 'tools', calls }, text('Done.')]);
  const cwd = tempDir('order');
  writeFiles(cwd, {
    'axe/agents/worker.toml': agentToml({ tools: ['write_file', 'run_command', 'read_file'] }),
  });
  const result = await runCli(['run', 'worker'], { cwd, env: model.env });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
  const [, output, read] = resultsOf(model.prompts()[1]);
  expect(output).toContain('fresh');
  expect(read).toContain('fresh');
});
