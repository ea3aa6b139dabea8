import '../support/full-extent.ts';
import '../insurer/races.test.ts';
