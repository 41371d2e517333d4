import { describe, expect, it } from '@jest/globals';
import { createMaskedWorkspace } from '../../../src/tools/workspace/masked-workspace.js';
import { createTestWorkspace, toolsOver } from '../workspace-scene.js';

const FIRST = 'q7Zk2Pv9Xw4Lm8Rt3Ns6';
const SECOND = 'hT4mB8vK2cQ9wE6yR1uJ';

function scene(text: string, secrets: readonly string[] = [FIRST, SECOND]) {
  const folder = createTestWorkspace({ 'a.txt': text });
  const call = toolsOver(createMaskedWorkspace(folder, secrets));
  return {
    text: () => folder.text('a.txt'),
    read: async () => (await call('read_file', { path: 'a.txt' })).text,
    write: async (content: string) => await call('write_file', { path: 'a.txt', content }),
    edit: async (old_string: string, new_string: string) =>
      await call('edit_file', { path: 'a.txt', old_string, new_string }),
  };
}

const CHANGED = {
  isError: true,
  text: '"a.txt" was not changed: a line with a secret was changed or doubled. You see secrets as `***`; leave their lines as they are.',
};

describe('a file with a secret', () => {
  it('shows a mask, with the numbers that its lines have', async () => {
    const file = scene(`a\nkey: ${FIRST}\nb`);
    expect(await file.read()).toBe('1: a\n2: key: ***\n3: b');
    const key = `-----BEGIN KEY-----\n${FIRST}\n-----END KEY-----`;
    expect(await scene(`a\n${key}\nb`, [key]).read()).toBe('1: a\n2: ***\n3: ***\n4: ***\n5: b');
  });

  it('keeps the secrets of masked lines that are written back', async () => {
    const file = scene(`a\nkey: ${FIRST}\nother: ${SECOND}\nb\n`);
    expect(await file.write('new\nother: ***\nkey: ***\nb\n')).toMatchObject({ isError: false });
    expect(file.text()).toBe(`new\nother: ${SECOND}\nkey: ${FIRST}\nb\n`);
    expect(await file.edit('key: ***\nb', 'key: ***\nc')).toMatchObject({ isError: false });
    expect(file.text()).toBe(`new\nother: ${SECOND}\nkey: ${FIRST}\nc\n`);
  });

  it('keeps them in a file whose lines end as on Windows', async () => {
    const file = scene(`a\r\nkey: ${FIRST}\r\nb\r\n`);
    await file.edit('a', 'c');
    expect(file.text()).toBe(`c\r\nkey: ${FIRST}\r\nb\r\n`);
    await file.write('key: ***\nb\n');
    expect(file.text()).toBe(`key: ${FIRST}\nb\n`);
  });

  it('loses a masked line that is removed', async () => {
    const file = scene(`a\nkey: ${FIRST}\nb\n`);
    expect(await file.edit('key: ***\n', '')).toMatchObject({ isError: false });
    expect(file.text()).toBe('a\nb\n');
  });

  it.each([
    ['changed', 'a\nmy key: ***\nb\n'],
    ['doubled', 'a\nkey: ***\nkey: ***\nb\n'],
    ['added', 'a\nkey: ***\n***\nb\n'],
  ])('is not changed if a masked line was %s', async (_, content) => {
    const before = `a\nkey: ${FIRST}\nb\n`;
    const file = scene(before);
    expect(await file.write(content)).toEqual(CHANGED);
    expect(file.text()).toBe(before);
  });

  it('is not changed if nobody knows which of two lines that look the same was removed', async () => {
    const file = scene(`key: ${FIRST}\nkey: ${SECOND}\n`);
    expect(await file.write('key: ***\n')).toMatchObject({
      isError: true,
      text: expect.stringContaining('some of several lines that look the same were removed'),
    });
    expect(await file.write('key: ***\nnew\nkey: ***\n')).toMatchObject({ isError: false });
    expect(file.text()).toBe(`key: ${FIRST}\nnew\nkey: ${SECOND}\n`);
    expect(await file.write('new\n')).toMatchObject({ isError: false });
  });

  it('loses one of two lines that are the same', async () => {
    const file = scene(`key: ${FIRST}\nkey: ${FIRST}\n`);
    expect(await file.write('key: ***\n')).toMatchObject({ isError: false });
    expect(file.text()).toBe(`key: ${FIRST}\n`);
  });
});

describe('a file without a secret', () => {
  it('is written with asterisks of its own', async () => {
    const file = scene('a\n');
    expect(await file.write('a\n***\n***\n')).toMatchObject({ isError: false });
    expect(file.text()).toBe('a\n***\n***\n');
  });

  it('keeps tokens that are made up', async () => {
    const token = `ghp_${'aB3'.repeat(12)}`;
    const file = scene(`const token = '${token}';\n`);
    expect(await file.read()).toBe(`1: const token = '${token}';`);
    await file.edit('const', 'let');
    expect(file.text()).toBe(`let token = '${token}';\n`);
  });
});
