/** An annotation as the runner reads it from a line of output. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly title: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

const LEVELS = ['error', 'warning', 'notice'] as const;

/**
 * Reads workflow commands as the runner does, `::stop-commands::` included: annotations, masked
 * values, the names of all but the groups of turns, and the log as it is shown, masked, with the
 * titles of turns and without lines of other commands.
 */
export function parseWorkflowCommands(stdout: string) {
  const annotations: Annotation[] = [];
  const masks: string[] = [];
  const names: string[] = [];
  const debug: string[] = [];
  const log: string[] = [];
  let resumeToken: string | undefined;
  let isInTurn = false;
  for (const line of stdout.split(/\r?\n/)) {
    const command = parseCommand(line);
    if (resumeToken !== undefined) {
      if (command?.name === resumeToken) resumeToken = undefined;
      else log.push(line);
      continue;
    }
    if (command === undefined) {
      log.push(line);
      continue;
    }
    if (command.name === 'group' && /^Turn \d+: /.test(command.message)) {
      log.push(command.message);
      isInTurn = true;
      continue;
    }
    if (command.name === 'endgroup' && isInTurn) {
      isInTurn = false;
      continue;
    }
    // The runner shows these only with debug logging.
    if (command.name === 'debug') {
      debug.push(command.message);
      continue;
    }
    names.push(command.name);
    if (command.name === 'stop-commands') resumeToken = command.message;
    if (command.name === 'add-mask') masks.push(command.message);
    const level = LEVELS.find((one) => one === command.name);
    if (level === undefined) continue;
    const { title, file, line: at } = command.properties;
    const place = { file, line: at === undefined ? undefined : Number(at) };
    annotations.push({ level, message: command.message, title, ...place });
  }
  const masked = masks
    .filter(Boolean)
    .reduce((text, mask) => text.replaceAll(mask, '***'), log.join('\n'));
  return { annotations, masks, names, debug, log: masked };
}

/**
 * Reads a file of `name=value` and `name<<DELIMITER` entries: outputs, state, environment. Throws
 * on anything else.
 */
export function parseFileCommand(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  while (lines.length > 0) {
    const line = (lines.shift() ?? '').replace(/\r$/, '');
    if (line === '') continue;
    const heredoc = /^([^=]*?)<<(.+)$/.exec(line);
    if (heredoc !== null) {
      const end = lines.findIndex((one) => one.replace(/\r$/, '') === heredoc[2]);
      if (end < 0) throw new Error(`the delimiter ${heredoc[2]} of ${heredoc[1]} is missing`);
      values[heredoc[1] ?? ''] = lines
        .splice(0, end + 1)
        .slice(0, -1)
        .join('\n');
      continue;
    }
    const at = line.indexOf('=');
    if (at < 1) throw new Error(`not a file command: ${line}`);
    values[line.slice(0, at)] = line.slice(at + 1);
  }
  return values;
}

/** `::name key=value,key=value::message`, after any spaces. */
function parseCommand(line: string) {
  const match = /^\s*::([^\s:]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$/.exec(line);
  if (match === null) return undefined;
  const [, name = '', list = '', message = ''] = match;
  const properties: Record<string, string> = {};
  for (const pair of list.split(',').filter(Boolean)) {
    const at = pair.indexOf('=');
    properties[pair.slice(0, at).trim()] = decode(pair.slice(at + 1))
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',');
  }
  return { name, properties, message: decode(message) };
}

function decode(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
