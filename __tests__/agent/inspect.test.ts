import { describe, expect, it } from '@jest/globals';
import { inspectAgent, parseAgent } from '../../src/agent/inspect.js';

const SOURCE = { name: 'v', file: 'axe/agents/v.toml' };

function errorsOf(text: string) {
  return inspectAgent(text, SOURCE).errors.map(({ message, at }) => [message, at?.line, at?.column]);
}

describe('an agent file that is inspected', () => {
  it('has all its errors of types reported, and its warnings with them', () => {
    const text = `name = 7
model = "a/m"
timeout = "5m"
sistem_prompt = "x"

[memory]
last_n = -1
scope = "all"
notes = true

[[mcp_servers]]
name = "one"
transport = "stdio"
command = 1
`;
    expect(errorsOf(text)).toEqual([
      ['failed to parse agent config "v": name must be a string, but is an integer', 1, 1],
      ['failed to parse agent config "v": timeout must be an integer, but is a string', 3, 1],
      ['failed to parse agent config "v": mcp_servers[0].command must be a string, but is an integer', 14, 1],
    ]);
    const { config, warnings } = inspectAgent(text, SOURCE);
    expect(warnings.map(({ code, at }) => [code, at?.line])).toEqual([['agent-unknown-key', 4]]);
    expect(config).toBeUndefined();
  });

  it('has errors in its review settings reported at the key', () => {
    const text = `name = "v"
model = "a/m"
[review]
depth = "deep"
parts = 13
min_severity = "bad"
[review.severity]
test = "low"
securty = "nit"
`;
    expect(errorsOf(text)).toEqual([
      ['review.depth must be one of: quick, standard', 4, 1],
      ['review.parts cannot exceed 12', 5, 1],
      ['review.min_severity must be one of: critical, major, minor, nit', 6, 1],
      ['review.severity.test must be one of: critical, major, minor, nit', 8, 1],
    ]);
    const message = expect.stringContaining('review.severity.security');
    const warning = { code: 'agent-unknown-key', message, at: { line: 9 } };
    expect(inspectAgent(text, SOURCE).warnings).toMatchObject([warning]);
  });

  it('with very many errors has the first fifty reported', () => {
    const servers = Array.from({ length: 200 }, () => '[[mcp_servers]]\nname = 1\n').join('');
    const { config, errors } = inspectAgent(`name = "v"\nmodel = "a/m"\n${servers}`, SOURCE);
    expect(errors).toHaveLength(50);
    expect(errors[49]?.at?.line).toBe(102);
    expect(config).toBeUndefined();
  });
});

describe('a memory.path that only the command line can use (D54)', () => {
  const text = (path: string, more = '') =>
    `name = "v"\nmodel = "a/m"\n[memory]\nenabled = true\n${more}path = '${path}'\n`;

  it.each([
    ['/tmp/abs.md', 'it is outside of the memory store'],
    ['../out.md', 'it is outside of the memory store'],
    ['~/m.md', 'it is outside of the memory store'],
    ['C:\\m.md', 'it is outside of the memory store'],
    ['x.txt', 'it does not end in `.md`'],
    ['MEMORY.md', 'notes are kept there'],
    ['untrusted/v.md', 'the name is reserved'],
    ['offline/v.md', 'the name is reserved'],
    ['v.state.md', 'the name is reserved'],
    ['.hidden/v.md', 'names in it must start with'],
    ['my notes.md', 'names in it must start with'],
  ])('%j is a warning at its line with the place used instead', (path, why) => {
    const { errors, warnings, workflowWarnings } = inspectAgent(text(path), SOURCE);
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
    const at = { file: 'axe/agents/v.toml', line: 5, column: 1 };
    expect(workflowWarnings).toMatchObject([{ code: 'agent-unused-key', at }]);
    expect(workflowWarnings[0]?.message).toContain(why);
    expect(workflowWarnings[0]?.message).toMatch(
      /^`memory\.path` cannot be ".*" in a workflow: .*`v\.md` in the memory store is used instead\./,
    );
    expect(parseAgent(text(path), SOURCE)).toMatchObject({ workflowWarnings });
  });

  it.each([
    ['a place in the store', text('team/log.md')],
    ['none', text('')],
    ['one of a memory that is off', text('/tmp/abs.md').replace('true', 'false')],
    ['one that is an error already', text('MEMORY.md', 'notes = true\n')],
  ])('causes no warning for %s', (_, toml) => {
    expect(inspectAgent(toml, SOURCE).workflowWarnings).toEqual([]);
  });
});
