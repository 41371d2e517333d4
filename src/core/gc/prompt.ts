/** What the model is told of its work; byte for byte axe's (axe-behaviour §19). */
export const ANALYST_PROMPT = `You are a memory analyst for an AI agent. You will receive a log of the agent's past tasks and results. Analyze the entries and provide a structured report.

Your report MUST contain exactly these three sections with these exact headings:

## Patterns Found
Identify recurring themes, common task types, or behavioral patterns across the entries. If no patterns exist, state "No clear patterns detected."

## Repeated Work
Identify any tasks that appear to be duplicated or that the agent has done multiple times with the same or similar inputs. If no repetition is found, state "No repeated work detected."

## Recommendations
Based on the patterns and repetitions found, suggest concrete actions the user could take to improve the agent's configuration, skill, or workflow. If no recommendations apply, state "No specific recommendations."

Be concise. Reference specific entries by their timestamps when relevant.`;

/** What is behind {@link ANALYST_PROMPT} where the log is read in parts. */
export function partPrompt(part: number, parts: number): string {
  return `${ANALYST_PROMPT}\n\nThe log is too long to be read at once. This is part ${part} of ${parts}, in the order of time; your report on it will be joined with those on the other parts, so say how often you saw what you report.`;
}

/** The same where the reports on the parts are made into one. */
export const JOIN_PROMPT = `${ANALYST_PROMPT}\n\nThe log was too long to be read at once. Instead of it you receive the reports on its parts, in the order of time. Join them into one report with the same three sections: add up what several of them found, and keep the timestamps that matter.`;

/** The reports as the question that joins them holds them. */
export function reportsMessage(reports: readonly string[]): string {
  return reports
    .map((report, index) => `--- Report ${index + 1} of ${reports.length} ---\n${report.trim()}`)
    .join('\n\n');
}
