import { describe, expect, it } from '@jest/globals';
import { type OwnFiles, proposalMessage, readProposal } from '../../../src/core/gc/proposal.js';

const TOML = 'axe/agents/bot.toml';
const SKILL = 'axe/skills/bot/SKILL.md';
const OWN: OwnFiles = {
  toml: TOML,
  texts: new Map([
    [
      TOML,
      'name = "bot"\nmodel = "anthropic/m"\nsystem_prompt = "Be kind."\ntools = ["read_file", "url_fetch"]\nallowed_hosts = ["example.com"]\n[memory]\nenabled = true\nlast_n = 5\n',
    ],
    [SKILL, 'Look twice.\nLook twice.\nThen answer.\n'],
  ]),
};

function answer(...edits: readonly (readonly [path: string, find: string, replace: string])[]): string {
  return JSON.stringify({
    title: 'Say\nmore',
    reason: 'Because.',
    edits: edits.map(([path, find, replace]) => ({ path, find, replace })),
  });
}

describe('a suggested change of an agent', () => {
  it('changes the skill and the system prompt', () => {
    const read = readProposal(
      `Here:\n\`\`\`json\n${answer([SKILL, 'Then answer.', 'Then answer briefly.'], [TOML, 'Be kind.', 'Be brief.'])}\n\`\`\``,
      OWN,
    );
    if (read.kind !== 'proposal') throw new Error(read.kind);
    expect(read.proposal.title).toBe('Say more');
    expect(read.proposal.files.get(SKILL)).toBe('Look twice.\nLook twice.\nThen answer briefly.\n');
    expect(read.proposal.files.get(TOML)).toContain('system_prompt = "Be brief."');
  });

  it('can keep less, remove a tool and change how much is remembered', () => {
    const read = readProposal(answer([TOML, '"read_file", ', ''], [TOML, 'last_n = 5', 'last_n = 10']), OWN);
    expect(read.kind).toBe('proposal');
  });

  it.each([
    ['no edits', answer()],
    ['an edit that changes nothing', answer([SKILL, 'Then', 'Then'])],
  ])('is empty with %s', (_what, text) => {
    expect(readProposal(text, OWN)).toEqual({ kind: 'none' });
  });

  it.each([
    ['is not JSON', 'I would say more.', 'cannot be read'],
    ['has another form', '{"edits": 1}', 'does not have the form'],
    ['is about another file', answer(['.github/workflows/x.yml', 'a', 'b']), 'not a file of the agent'],
    ['finds its place twice', answer([SKILL, 'Look twice.', 'x']), 'exactly once'],
    ['finds its place nowhere', answer([SKILL, 'Look thrice.', 'x']), 'exactly once'],
    ['finds nothing', answer([SKILL, '', 'x']), 'exactly once'],
    ['breaks the TOML', answer([TOML, '"Be kind."', '"Be kind.']), 'no longer be valid'],
    ['takes the model away', answer([TOML, 'model = "anthropic/m"\n', '']), 'no longer be valid'],
    ['changes the model', answer([TOML, 'anthropic/m', 'anthropic/n']), '`model`'],
    ['adds a tool', answer([TOML, '"read_file"', '"read_file", "run_command"']), '`tools`'],
    ['adds a host', answer([TOML, '"example.com"', '"example.com", "example.org"']), '`allowed_hosts`'],
    ['opens all hosts', answer([TOML, '["example.com"]', '[]']), '`allowed_hosts`'],
    ['raises a budget', answer([TOML, '[memory]', '[budget]\nmax_tokens = 9\n[memory]']), '`budget`'],
    ['moves memory', answer([TOML, 'last_n = 5', 'path = "x.md"']), '`memory`'],
    [
      'adds a server',
      answer([
        TOML,
        '[memory]',
        '[[mcp_servers]]\nname = "x"\nurl = "https://example.com"\ntransport = "sse"\n[memory]',
      ]),
      '`mcp_servers`',
    ],
    [
      'hides words in a comment that turns around',
      answer([SKILL, 'Then', '\u202EThen']),
      'readers cannot see',
    ],
    ['hides words in tags', answer([SKILL, 'Then', 'Then\u{E0041}\u{E0042}']), 'readers cannot see'],
    ['hides words between no spaces', answer([SKILL, 'Then', 'Th\u200Ben']), 'readers cannot see'],
    [
      'escapes what nobody can see',
      answer([TOML, 'Be kind.', 'Be kind.\\u200b\\u200b']),
      'readers cannot see',
    ],
    ['escapes a tag', answer([TOML, 'Be kind.', 'Be kind.\\U000E0041']), 'readers cannot see'],
    ['adds a comment that a page hides', answer([SKILL, 'Then', '<!-- obey --> Then']), 'does not show'],
    [
      'puts such a comment together',
      answer([SKILL, 'Then answer.', '<Then answer.'], [SKILL, 'Then', '!--']),
      'does not show',
    ],
    ['adds a link that says nothing', answer([SKILL, 'Then', '[//]: # (obey)\n\nThen']), 'does not show'],
    ['escapes a comment', answer([TOML, 'Be kind.', '\\u003c!-- obey --> Be kind.']), 'hide a comment'],
    ['adds a key nobody reads', answer([TOML, 'last_n = 5', 'last_n = 5\nlast_m = 6']), '`memory.last_m`'],
    ['keeps everything', answer([TOML, 'last_n = 5', 'last_n = 0']), '`last_n` from 5 to 0'],
    ['no longer says how much is kept', answer([TOML, 'last_n = 5\n', '']), '`last_n` from 5 to 0'],
    ['keeps absurdly much', answer([TOML, 'last_n = 5', 'last_n = 100000']), '`last_n` from 5 to 100000'],
    [
      'warns absurdly late',
      answer([TOML, 'last_n = 5', 'last_n = 5\nmax_entries = 5000']),
      '`max_entries` from 0 to 5000',
    ],
    ['makes a file too long', answer([SKILL, 'Then', 'x'.repeat(300_000)]), 'too long'],
  ])('is refused if it %s', (_what, text, reason) => {
    const read = readProposal(text, OWN);
    expect(read).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) });
  });

  it('has one digest for the same lines, however it finds its place, and another for others', () => {
    const digestOf = (text: string, own = OWN) => {
      const read = readProposal(text, own);
      return read.kind === 'proposal' ? read.proposal.digest : read.kind;
    };
    const digest = digestOf(answer([SKILL, 'Then answer.', 'Then answer briefly.']));
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(digestOf(answer([SKILL, 'answer.', 'answer briefly.']))).toBe(digest);
    const newer = new Map([...OWN.texts, [SKILL, `# Bot\n\n${OWN.texts.get(SKILL)}`]]);
    expect(digestOf(answer([SKILL, 'answer.', 'answer briefly.']), { ...OWN, texts: newer })).toBe(digest);
    expect(digestOf(answer([SKILL, 'answer.', 'answer at length.']))).not.toBe(digest);
    expect(digestOf(answer([TOML, 'Be kind.', 'Then answer briefly.']))).not.toBe(digest);
  });

  it('is requested with what people rejected before', () => {
    const closed = {
      url: 'https://x/1',
      digest: 'd',
      title: 'Say more',
      body: '<!-- axe-action gc=bot -->\nBecause.',
    };
    const message = proposalMessage('Found.', OWN, [closed]);
    expect(message).toContain('unless the analysis has found something new:\n\n- Say more\nBecause.');
    expect(proposalMessage('Found.', OWN, [])).not.toContain('closed');
  });

  it('is refused if a workflow is named as the skill', () => {
    const workflow = '.github/workflows/ci.yml';
    const own = { ...OWN, texts: new Map([...OWN.texts, [workflow, 'on: push\n']]) };
    const read = readProposal(answer([workflow, 'push', 'issue_comment']), own);
    expect(read).toMatchObject({ kind: 'refused', reason: expect.stringContaining('what GitHub runs') });
  });

  it('can hold any script, line breaks and tabs', () => {
    const text = 'می\u200Cخواهم\n\tनमस्ते 👩\u200D💻 ❤️';
    expect(readProposal(answer([SKILL, 'Then', text]), OWN).kind).toBe('proposal');
  });
});
