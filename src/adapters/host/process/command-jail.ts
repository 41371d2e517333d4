import { rmdir } from 'node:fs/promises';
import { type JailPlaces, makeReserved, planMounts } from './jail-mounts.js';
import { type JailWay, jailedCommand } from './jail-script.js';
import type { Programs } from './programs.js';

/** Where commands run apart from our own process. */
export interface ProcessJail {
  /** How to start a program in it. */
  enter(program: JailedStart): Promise<Entered>;
}

/** A program, its folder, and the environment it may have. */
export interface JailedStart {
  readonly program: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What to start instead of the program. */
export interface Entered {
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Called when the program has ended. */
  leave(): Promise<void>;
}

/** Builds a jail in the given way around every program. */
export function createCommandJail(
  way: JailWay,
  programs: Programs,
  placesNow: () => JailPlaces,
): ProcessJail {
  const made: string[] = [];
  let running = 0;
  let turn: Promise<unknown> = Promise.resolve();

  /** Folders are made and removed by one program at a time: one that is removed is mounted on no more. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function leave(): Promise<void> {
    running -= 1;
    if (running > 0) return;
    // One in which something was put by others stays.
    for (const folder of made.splice(0).toReversed()) await rmdir(folder).catch(() => undefined);
  }

  return {
    enter: ({ program, cwd, env }) =>
      inTurn(async () => {
        const places = placesNow();
        made.push(...(await makeReserved(places)));
        // On a terminal an agent may work elsewhere than where it was started.
        const mounts = await planMounts({ ...places, writable: [...places.writable, cwd] });
        running += 1;
        const inside = { ...env, ...places.env };
        return {
          program: jailedCommand(way, { program, cwd, env: inside, mounts }, programs),
          env: inside,
          leave: () => inTurn(leave),
        };
      }),
  };
}
