// Preloaded into a benchmarked process: writes its largest resident size, in kilobytes, to descriptor 3 at its end.
import { readFileSync, writeSync } from 'node:fs';

process.on('exit', () => writeSync(3, String(peakKilobytes())));

/** On Linux `maxRSS` begins with the size of the process that started this one, and the kernel's own figure does not. */
function peakKilobytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kilobytes);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
