import io.getunleash.DefaultUnleash;
import io.getunleash.UnleashContext;
import io.getunleash.util.UnleashConfig;

public class Main {
  public static void main(String[] args) {
    var config =
        UnleashConfig.builder()
            .unleashAPI("http://127.0.0.1:4242/api")
            .appName("shop")
            .apiKey("the-backend-token-printed-by-npm-start")
            .synchronousFetchOnInitialisation(true) // The constructor waits for the flags.
            .build();
    var unleash = new DefaultUnleash(config);

    var context = UnleashContext.builder().userId("7").build();
    var isNew = unleash.isEnabled("new-header", context);
    var colour = unleash.getVariant("button-colour", context).getName();
    System.out.println("new-header: " + isNew + ", button-colour: " + colour);

    unleash.shutdown(); // When the program ends: stops its threads.
  }
}
