import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NamedTool, nameTools, type OfferedTool } from '../../../src/tools/mcp/choose-tools.js';

const SAFE = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

function name(offered: readonly string[], reserved: readonly string[] = []): readonly (string | undefined)[] {
  return nameTools(offered.map(split), new Set(reserved)).map(nameOf);
}

/** `server/tool`; the tool may hold slashes of its own. */
function split(text: string): OfferedTool {
  const at = text.indexOf('/');
  return { server: text.slice(0, at), tool: text.slice(at + 1) };
}

function nameOf(named: NamedTool): string | undefined {
  return named.kind === 'named' ? named.name : undefined;
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

  it('that is empty is left out', () => {
    expect(nameTools([{ server: 'a', tool: '' }], new Set())).toEqual([
      { kind: 'left-out', note: 'no-name' },
    ]);
  });
});

describe('equal tool names', () => {
  it('are kept by the built-in tool', () => {
    expect(nameTools([split('a/run.command')], new Set(['run_command']))).toEqual([
      { kind: 'left-out', note: 'built-in' },
    ]);
  });

  it('of two servers are kept by the first, and the others get their server as prefix', () => {
    expect(nameTools([split('a/search'), split('b/search'), split('c d/search')], new Set())).toEqual([
      { kind: 'named', name: 'search' },
      { kind: 'named', name: 'b_search', note: 'prefixed' },
      { kind: 'named', name: 'c_d_search', note: 'prefixed' },
    ]);
  });

  it('of two servers are left out if the longer name is used too', () => {
    expect(name(['a/b_search', 'a/search', 'b/search'])).toEqual(['b_search', 'search', undefined]);
    expect(name(['a/search', 'b/search'], ['b_search'])).toEqual(['search', undefined]);
  });

  it('of one server are one tool', () => {
    expect(nameTools([split('a/search'), split('a/search')], new Set())[1]).toEqual({
      kind: 'left-out',
      note: 'duplicate',
    });
  });

  it('of one server that differed before they were sanitized stay different', () => {
    const [one, two] = name(['a/x.y', 'a/x/y']);
    expect(one).toBe('x_y');
    expect(two).toMatch(/^x_y_[a-z0-9]{7}$/);
  });
});

describe('the tool names from any server', () => {
  const tool = fc.record({
    server: fc.constantFrom('a', 'b', 'ä ö', '9'),
    tool: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 90 }),
      fc.constantFrom('x', 'x.', 'x_', 'a_x', 'b_x'),
    ),
  });

  it('are safe for every provider, differ, and never equal a built-in’s', () => {
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 30 }), (offered) => {
        const reserved = new Set(['x', 'a_x']);
        const names = nameTools(offered, reserved).flatMap((named) => nameOf(named) ?? []);
        expect(names.filter((one) => !SAFE.test(one))).toEqual([]);
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((one) => reserved.has(one))).toEqual([]);
      }),
    );
  });
});
