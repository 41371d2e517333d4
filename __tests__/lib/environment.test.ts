import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configDir, dataDir } from '../../src/lib/environment.js';
import { tempDir } from '../helpers/temp.js';

const WINDOWS = 'C:\\Users\\octocat';

describe('the data folder of axe (axe-behaviour §1)', () => {
  it('TestGetDataDir_XDGDataHomeSet, _DoesNotCreateDirectory: is axe in XDG_DATA_HOME', () => {
    const folder = tempDir('xdg');
    expect(dataDir({ XDG_DATA_HOME: folder, HOME: '/home/octocat' })).toBe(join(folder, 'axe'));
    expect(existsSync(join(folder, 'axe'))).toBe(false);
  });

  it.each([
    ['linux', { XDG_DATA_HOME: '', HOME: '/home/octocat' }, '/home/octocat/.local/share/axe'],
    ['linux', { HOME: '/home/octocat' }, '/home/octocat/.local/share/axe'],
    ['darwin', { HOME: '/Users/octocat' }, '/Users/octocat/.local/share/axe'],
    ['win32', { USERPROFILE: WINDOWS }, `${WINDOWS}\\.local\\share\\axe`],
  ])('TestGetDataDir_XDGDataHomeEmpty, _Unset: on %s with %j is %s', (platform, env, expected) => {
    expect(dataDir(env, platform)).toBe(expected);
  });

  it.each([
    ['linux', '$HOME is not defined'],
    ['win32', '%userprofile% is not defined'],
  ])('on %s without a home is an error in axe’s words (golden 11)', (platform, reason) => {
    expect(() => dataDir({}, platform)).toThrow(`unable to determine data directory: ${reason}`);
  });
});

it.each([
  ['darwin', { XDG_CONFIG_HOME: '/c', HOME: '/Users/octocat' }, '/c/axe'],
  ['linux', { XDG_CONFIG_HOME: '', HOME: '/home/octocat' }, '/home/octocat/.config/axe'],
  ['darwin', { HOME: '/Users/octocat' }, '/Users/octocat/Library/Application Support/axe'],
  ['win32', { AppData: `${WINDOWS}\\AppData\\Roaming` }, `${WINDOWS}\\AppData\\Roaming\\axe`],
])('configDir on %s with %j is %s', (platform, env, expected) => {
  expect(configDir(env, platform)).toBe(expected);
});

it.each([
  ['linux', 'neither $XDG_CONFIG_HOME nor $HOME are defined'],
  ['darwin', '$HOME is not defined'],
  ['win32', '%AppData% is not defined'],
])('configDir on %s without a home is an error', (platform, reason) => {
  expect(() => configDir({}, platform)).toThrow(`unable to determine config directory: ${reason}`);
});
