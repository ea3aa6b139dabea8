import { Page } from '../parts/page.tsx';

export default function Workbench() {
  return <Page title="Workbench">{null}</Page>;
}
