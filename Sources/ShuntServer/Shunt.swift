/// What the whole product is called and numbered.
public enum Shunt {
    /// The version, as semantic versioning numbers it.
    public static let version = "0.1.0"
}
