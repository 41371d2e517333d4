import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configDir, dataDir } from '../../src/lib/xdg.js';
import { tempDir } from '../helpers/temp.js';

describe('the data folder of axe (axe-behaviour §1)', () => {
  it('TestGetDataDir_XDGDataHomeSet: is axe in XDG_DATA_HOME', () => {
    const folder = tempDir('xdg');
    expect(dataDir({ XDG_DATA_HOME: folder, HOME: '/home/octocat' })).toBe(join(folder, 'axe'));
  });

  it('TestGetDataDir_XDGDataHomeEmpty: is in the home folder', () => {
    expect(dataDir({ XDG_DATA_HOME: '', HOME: '/home/octocat' }, 'linux')).toBe(
      '/home/octocat/.local/share/axe',
    );
  });

  it('TestGetDataDir_XDGDataHomeUnset: is in the home folder', () => {
    expect(dataDir({ HOME: '/home/octocat' }, 'linux')).toBe('/home/octocat/.local/share/axe');
  });

  it('TestGetDataDir_DoesNotCreateDirectory: creates nothing', () => {
    const folder = dataDir({ XDG_DATA_HOME: tempDir('xdg') });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('dataDir', () => {
  it.each([
    ['darwin', { HOME: '/Users/octocat' }, '/Users/octocat/.local/share/axe'],
    ['win32', { USERPROFILE: 'C:\\Users\\octocat' }, 'C:\\Users\\octocat\\.local\\share\\axe'],
  ])('is the same place on %s', (platform, env, expected) => {
    expect(dataDir(env, platform)).toBe(expected);
  });

  it.each([
    ['linux', {}, '$HOME is not defined'],
    ['linux', { HOME: '' }, '$HOME is not defined'],
    ['win32', {}, '%userprofile% is not defined'],
  ])('on %s with %j is an error in axe’s words (golden 11)', (platform, env, reason) => {
    expect(() => dataDir(env, platform)).toThrow(`unable to determine data directory: ${reason}`);
  });
});

describe('configDir', () => {
  it.each([
    ['linux', { XDG_CONFIG_HOME: '/c', HOME: '/home/octocat' }, '/c/axe'],
    ['darwin', { XDG_CONFIG_HOME: '/c', HOME: '/Users/octocat' }, '/c/axe'],
    ['linux', { XDG_CONFIG_HOME: '', HOME: '/home/octocat' }, '/home/octocat/.config/axe'],
    ['linux', { HOME: '/home/octocat' }, '/home/octocat/.config/axe'],
    ['darwin', { HOME: '/Users/octocat' }, '/Users/octocat/Library/Application Support/axe'],
    [
      'win32',
      { AppData: 'C:\\Users\\octocat\\AppData\\Roaming' },
      'C:\\Users\\octocat\\AppData\\Roaming\\axe',
    ],
  ])('on %s with %j is %s', (platform, env, expected) => {
    expect(configDir(env, platform)).toBe(expected);
  });

  it.each([
    ['linux', 'neither $XDG_CONFIG_HOME nor $HOME are defined'],
    ['darwin', '$HOME is not defined'],
    ['win32', '%AppData% is not defined'],
  ])('on %s without a home is an error', (platform, reason) => {
    expect(() => configDir({}, platform)).toThrow(`unable to determine config directory: ${reason}`);
  });
});
