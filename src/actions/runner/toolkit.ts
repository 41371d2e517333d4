type Core = typeof import('@actions/core');

let loading: Promise<Core> | undefined;

/**
 * The runner's toolkit, loaded once and only when it is needed: evaluating it takes longer than everything else
 * before the first model request, so a run asks for it while it waits for the answer (D34).
 */
export function loadToolkit(): Promise<Core> {
  loading ??= import('@actions/core');
  return loading;
}
