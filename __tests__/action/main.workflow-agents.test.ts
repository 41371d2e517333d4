import { expect, it } from '@jest/globals';
import { withWorkflowWarnings } from '../../src/action/main.js';
import { createFakeDependencies } from '../helpers/dependencies-fake.js';

const TOML = 'nmae = 1\nname = "bot"\nmodel = "a/m"\n[memory]\nenabled = true\npath = "/tmp/abs.md"\n';

it('a workflow warns about options that only the command line uses, after its other warnings', async () => {
  const { agents } = createFakeDependencies({ agents: { bot: TOML } });
  const lines = async (library: typeof agents) =>
    (await library.loadAgent('bot')).warnings.map(({ code, at }) => [code, at?.line]);
  expect(await lines(agents)).toEqual([['agent-unknown-key', 1]]);
  expect(await lines(withWorkflowWarnings(agents))).toEqual([
    ['agent-unknown-key', 1],
    ['agent-unused-key', 6],
  ]);
});
