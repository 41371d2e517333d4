// linux-only: sockets with a path
import { once } from 'node:events';
import { linkSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { machineSockets } from '../../../src/tools/process/sockets.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

async function listen(path: string): Promise<string> {
  mkdirSync(dirname(path), { recursive: true });
  const server = createServer();
  servers.push(server);
  server.listen(path);
  await once(server, 'listening');
  return path;
}

/** A folder like `/proc`, with names of sockets as the kernel lists them, and roots with mount points. */
function makeProc(names: readonly string[], points: readonly string[] = [], cwd = '/') {
  const proc = tempDir('proc');
  const lines = names.map(
    (name) => `00000000cc0a6dfb: 00000002 00000000 00010000 0001 01 519337 ${name}`,
  );
  const unnamed = '0000000047cb102a: 00000003 00000000 00000000 0001 03 652362';
  const mounts = points.map((point) => `64 27 0:40 ${point} rw - ext4 /dev/vda rw`);
  writeFiles(proc, {
    'net/unix': [
      'Num       RefCount Protocol Flags    Type St Inode Path',
      unnamed,
      ...lines,
      '',
    ].join('\n'),
    'self/mountinfo': [...mounts, ''].join('\n'),
  });
  mkdirSync(join(proc, '7'));
  symlinkSync(cwd, join(proc, '7/cwd'));
  return proc;
}

it('the sockets of a machine are those that the kernel names, and no files', async () => {
  const folder = tempDir('sockets');
  const path = await listen(join(folder, 'a b.sock'));
  writeFiles(folder, { file: '' });
  const names = [path, join(folder, 'file'), join(folder, 'gone'), '@abstract'];
  expect(machineSockets(makeProc(names))).toEqual([path]);
});

it('a socket that was renamed or linked after it was bound is one of them', async () => {
  const folder = tempDir('sockets');
  const bound = await listen(join(folder, 'new'));
  linkSync(bound, join(folder, 'linked'));
  renameSync(bound, join(folder, 'renamed'));
  const sockets = machineSockets(makeProc([bound]));
  expect(sockets.toSorted()).toEqual([join(folder, 'linked'), join(folder, 'renamed')]);
});

it('a relative name is looked for where programs work', async () => {
  const folder = tempDir('sockets');
  const path = await listen(join(folder, 'run/s'));
  expect(machineSockets(makeProc(['run/s'], [], folder))).toEqual([path]);
  expect(machineSockets(makeProc(['run/s']))).toEqual([]);
});

it('a socket that is mounted from elsewhere is one of them', async () => {
  const path = await listen(join(tempDir('sockets'), 'a b'));
  const mounts = [`/a\\040b ${path.replace(' ', '\\040')}`, '/ /'];
  expect(machineSockets(makeProc([], mounts))).toEqual([path]);
});

it('a socket in a folder that is mounted twice is found by both paths', async () => {
  const [folder, mounted] = [tempDir('sockets'), tempDir('mounted')];
  const path = await listen(join(folder, 'a/run/s'));
  const other = await listen(join(mounted, 'run/s'));
  await listen(join(mounted, 's'));
  const mounts = ['/ /', `${folder}/a ${mounted}`];
  expect(machineSockets(makeProc([path], mounts)).toSorted()).toEqual([other, path].toSorted());
});
