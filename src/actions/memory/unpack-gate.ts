import type { ArchiveRefusal } from '../../adapters/host/archive/archive.js';
import type { CacheRestore } from '../../adapters/stores/cache/cache-client.js';
import { plainLine } from './cache-outcome.js';

/** Stands between the download of an entry and its unpacking. */
export interface UnpackGate {
  /** Takes what the library prints as it prints it. Throws where it must not go on. */
  see(text: string): void;
  /** What became of the restore, seen from here. */
  judge(outcome: CacheRestore): CacheRestore;
}

/** What a gate works with. */
export interface UnpackGateOptions {
  /** Why an archive must not be unpacked; undefined if nothing speaks against it. */
  readonly refuse: (archive: string) => ArchiveRefusal | undefined;
  /** Most that is downloaded, in bytes. */
  readonly maxBytes: number;
}

/**
 * `@actions/cache` unpacks with `tar -P`, which writes wherever an archive says. It prints where the archive is before
 * it downloads it and how large it is before it unpacks it (`lib/cache.js`, `lib/internal/downloadUtils.js` of 6.3.0),
 * and an error thrown from there ends the restore.
 */
export function createUnpackGate({ refuse, maxBytes }: UnpackGateOptions): UnpackGate {
  let key = '';
  let archive: string | undefined;
  let refusal: ArchiveRefusal | undefined;
  let hasPassed = false;
  return {
    see(text) {
      const line = plainLine(text.trimEnd());
      key = /^Cache hit for(?: restore-key)?: (.+)$/.exec(line)?.[1] ?? key;
      archive = /^Archive path: (.+)$/i.exec(line)?.[1] ?? archive;
      const announced = /^Downloading segment at offset 0 with length (\d+)/.exec(line)?.[1];
      if (Number(announced ?? 0) > maxBytes)
        stop({
          kind: 'suspect',
          reason: `it has ${announced} bytes, and at most ${maxBytes} are downloaded`,
        });
      if (!line.startsWith('Cache Size: ')) return;
      const found = archive === undefined ? UNKNOWN_PLACE : refuse(archive);
      if (found !== undefined) stop(found);
      hasPassed = true;
    },
    judge(outcome) {
      if (refusal !== undefined) {
        const name = key === '' ? 'an entry' : `the entry \`${key}\``;
        const message = `${name} was not unpacked: ${refusal.reason}`;
        return refusal.kind === 'suspect'
          ? { kind: 'refused', message }
          : { kind: 'error', message, remedy: DAMAGED_REMEDY };
      }
      if (outcome.kind !== 'hit' || hasPassed) return outcome;
      return { kind: 'error', message: `\`${outcome.key}\` was unpacked before anybody could look into it` };
    },
  };

  function stop(found: ArchiveRefusal): never {
    refusal = found;
    throw new Error(found.reason);
  }
}

const UNKNOWN_PLACE = { kind: 'suspect', reason: 'nobody said where it is' } as const;

const DAMAGED_REMEDY =
  'It broke off when it was uploaded or downloaded. Run it again; if that stays so, delete the entry under Actions → Caches.';
