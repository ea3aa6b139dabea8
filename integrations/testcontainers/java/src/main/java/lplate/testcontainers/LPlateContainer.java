package lplate.testcontainers;

import java.util.Map;
import lplate.junit.LPlate;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** L-Plate in a container: nothing on disk, no rate limits, and the same ids, secrets and times in each run. */
public class LPlateContainer extends GenericContainer<LPlateContainer> {
    private static final int PORT = 8080;
    private static final String TRAINER_TOKEN = "trainer-of-the-tests";

    /** Of the image that {@code docker build -t l-plate .} in the clone makes. */
    public LPlateContainer() {
        this(DockerImageName.parse("l-plate"));
    }

    public LPlateContainer(DockerImageName image) {
        super(image);
        withEnv(Map.of(
                "DATA_DIR", "memory",
                "SEED", "47",
                "NOW", "2026-03-01T09:00Z",
                "RATE_LIMIT_PER_MINUTE", "off",
                "PROBE_LIMIT_PER_MINUTE", "off",
                "TRAINER_TOKEN", TRAINER_TOKEN));
        withExposedPorts(PORT);
        waitingFor(Wait.forHttp("/readyz").forPort(PORT));
    }

    /** What tests call it with, once it has started: clients, tokens, time, reset. */
    public LPlate lplate() {
        return new LPlate("http://" + getHost() + ":" + getMappedPort(PORT), TRAINER_TOKEN);
    }
}
