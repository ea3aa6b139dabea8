package lplate.junit;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests L-Plate, in its first state for each, as a parameter {@link LPlate}, and new clients as {@link LPlate.Client}.
 * It starts {@code npx l-plate} once for all tests with the same settings; LPLATE_COMMAND names another command.
 */
public final class LPlateExtension implements BeforeEachCallback, ParameterResolver {
    private static final Namespace OURS = Namespace.create(LPlateExtension.class);
    private static final String[] DEFAULTS = {
        "--log-level", "warn", "--seed", "47", "--now", "2026-03-01T09:00Z",
        "--rate-limit-per-minute", "off", "--probe-limit-per-minute", "off"
    };

    private final List<String> settings;

    /** With a seed, a time that stands still, and no rate limits. */
    public LPlateExtension() {
        this(DEFAULTS);
    }

    /** @param settings flags in the place of all defaults, as {@code npx l-plate --help} lists them */
    public LPlateExtension(String... settings) {
        this.settings = List.of(settings);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        running(context).reset();
    }

    /** A client is for one test: the reset before the next one removes it. */
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == LPlate.class || type == LPlate.Client.class && context.getTestMethod().isPresent();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        LPlate lplate = running(context);
        if (parameter.getParameter().getType() == LPlate.class) {
            return lplate;
        }
        try {
            return lplate.client();
        } catch (IOException | InterruptedException error) {
            throw new ParameterResolutionException("No client of L-Plate: " + error.getMessage(), error);
        }
    }

    private LPlate running(ExtensionContext context) {
        return context.getRoot().getStore(OURS).getOrComputeIfAbsent(settings, Program::start, Program.class).lplate;
    }

    /** JUnit closes it when all tests have ended. */
    private record Program(Process process, LPlate lplate) implements AutoCloseable {
        static Program start(List<String> settings) {
            List<String> command = new ArrayList<>();
            if (System.getProperty("os.name").startsWith("Windows")) {
                command.addAll(List.of("cmd", "/c"));
            }
            String own = System.getenv("LPLATE_COMMAND");
            command.addAll(List.of((own == null ? "npx --yes l-plate" : own).split(" ")));
            // It ends with the tests, also when they are killed: the pipe to its standard input is closed then.
            command.addAll(List.of("--port", "0", "--ready", "json", "--end-with-stdin"));
            command.addAll(settings);
            try {
                Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
                String line = new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
                if (line == null) {
                    throw new IOException("L-Plate did not start: " + String.join(" ", command));
                }
                JsonNode ready = LPlate.JSON.readTree(line);
                String token = ready.get("secrets").get("trainerToken").asText();
                return new Program(process, new LPlate(ready.get("url").asText(), token));
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        @Override
        public void close() throws IOException, InterruptedException {
            process.getOutputStream().close();
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }
}
