import type { ComponentType } from 'preact';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { replace, route } from '../state/route.ts';
import { CursorTool } from './workbench/cursor-tool.tsx';
import { SignatureTool } from './workbench/signature-tool.tsx';
import { SoapTool } from './workbench/soap-tool.tsx';
import { TokenTool } from './workbench/token-tool.tsx';
import { WebhookTool } from './workbench/webhook-tool.tsx';

const tools = {
  token: ['Token', TokenTool],
  signature: ['Signed body', SignatureTool],
  soap: ['SOAP', SoapTool],
  cursor: ['Cursors and pages', CursorTool],
  webhook: ['Webhook', WebhookTool],
} as const satisfies Record<string, readonly [string, ComponentType]>;

type ToolName = keyof typeof tools;

const tabs = (Object.keys(tools) as ToolName[]).map((name) => [name, tools[name][0]] as const);

export default function Workbench() {
  const [asked = ''] = route.value.rest;
  const chosen = Object.hasOwn(tools, asked) ? (asked as ToolName) : 'token';
  const Tool = tools[chosen][1];
  return (
    <Page title="Workbench" about="Tools to look closely: at tokens, signatures, envelopes and cursors.">
      <Tabs label="Tools" tabs={tabs} chosen={chosen} onChoose={(name) => replace(`/workbench/${name}`)}>
        <Tool key={chosen} />
      </Tabs>
    </Page>
  );
}
