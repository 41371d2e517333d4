import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseTools } from '../../../src/tools/mcp/choose-tools.js';

const SAFE = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** What is chosen from these tools, each `server/tool`; a tool may hold slashes of its own. Every one is an offer. */
function choose(offered: readonly string[], reserved: readonly string[] = []) {
  const offers = offered.map((text) => {
    const at = text.indexOf('/');
    return {
      server: text.slice(0, at),
      tools: [{ name: text.slice(at + 1), inputSchema: { type: 'object' } }],
    };
  });
  const { tools, notes } = chooseTools(offers, new Set(reserved));
  return { names: tools.map(({ name }) => name), notes: notes.map(({ note }) => note) };
}

function name(offered: readonly string[], reserved: readonly string[] = []): readonly string[] {
  return choose(offered, reserved).names;
}

describe('the name of a tool', () => {
  it.each([
    ['is the server’s own', 'a/read-file_2', 'read-file_2'],
    ['has only characters every provider takes', 'a/admin.users/list all', 'admin_users_list_all'],
    ['starts with a letter or an underscore', 'a/2fa', '_2fa'],
    ['keeps a place for each foreign letter', 'a/名前', '__'],
    ['counts characters, not halves of them', 'a/😀x', '_x'],
    ['has 64 characters at most', `a/${'x'.repeat(64)}`, 'x'.repeat(64)],
  ])('%s', (_, offered, expected) => {
    expect(name([offered])).toEqual([expected]);
  });

  it('that is too long ends in a hash, so that two long ones differ', () => {
    const [one, two] = name([`a/${'x'.repeat(80)}1`, `a/${'x'.repeat(80)}2`]);
    expect([one, two]).toEqual([expect.stringMatching(/^x{56}_[a-z0-9]{7}$/), expect.stringMatching(SAFE)]);
    expect(one).not.toBe(two);
    expect(name([`a/${'x'.repeat(80)}1`])).toEqual([one]);
  });
});

describe('equal tool names', () => {
  it('are kept by the built-in tool', () => {
    expect(choose(['a/run.command'], ['run_command'])).toEqual({
      names: [],
      notes: ['`run.command` (left out: a built-in tool has the same name)'],
    });
  });

  it('of two servers are kept by the first, and the others get their server as prefix', () => {
    expect(choose(['a/search', 'b/search', 'c d/search'])).toEqual({
      names: ['search', 'b_search', 'c_d_search'],
      notes: [
        '`search as b_search` (renamed: another server offers the same name)',
        '`search as c_d_search` (renamed: another server offers the same name)',
      ],
    });
  });

  it('of two servers are left out if the longer name is used too', () => {
    expect(name(['a/b_search', 'a/search', 'b/search'])).toEqual(['b_search', 'search']);
    expect(name(['a/search', 'b/search'], ['b_search'])).toEqual(['search']);
  });

  it('of one server are one tool', () => {
    expect(choose(['a/search', 'a/search'])).toEqual({
      names: ['search'],
      notes: ['`search` (left out: offered more than once)'],
    });
  });

  it('of one server that differed before they were sanitized stay different', () => {
    const [one, two] = name(['a/x.y', 'a/x/y']);
    expect(one).toBe('x_y');
    expect(two).toMatch(/^x_y_[a-z0-9]{7}$/);
  });
});

describe('the tool names from any server', () => {
  const tool = fc
    .tuple(
      fc.constantFrom('a', 'b', 'ä ö', '9'),
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 90 }),
        fc.constantFrom('x', 'x.', 'x_', 'a_x', 'b_x'),
      ),
    )
    .map((names) => names.join('/'));

  it('are safe for every provider, differ, and never equal a built-in’s', () => {
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 30 }), (offered) => {
        const names = name(offered, ['x', 'a_x']);
        expect(names.filter((one) => !SAFE.test(one))).toEqual([]);
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((one) => ['x', 'a_x'].includes(one))).toEqual([]);
      }),
    );
  });
});
